// Every way over a border that we know, tried on the tool that must refuse it: a rule that is written but does not bite is none.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deniedGlobals, folderOf, isPure, layers } from '../layers.mjs';
import { root } from '../start/root.mjs';
import { probes } from './probes.mjs';
import { createWorld } from './world.mjs';

const bin = (path) => join(root, 'node_modules', path);
const run = (file, args, cwd) => spawnSync(process.execPath, [file, ...args], { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });

const BORDER = /^(plugin|lint\/style\/noRestricted(Imports|Globals))$/;

describe('biome', () => {
  const all = probes();
  let world;
  let refusals;

  beforeAll(() => {
    world = createWorld();
    const files = Map.groupBy(all, ({ from, place = 'probe', title, alone, code }) => {
      const name = `${title}${alone ? code : ''}`.replaceAll(/\W+/g, '-');
      return `${folderOf(from)}/src/${place}-${name}.ts`;
    });
    for (const [file, group] of files) world.write(file, textOf(file, group));
    // One run over all of them: a run for each would take minutes.
    const { stdout, stderr } = run(
      bin('@biomejs/biome/bin/biome'),
      ['lint', '--reporter=json', '--max-diagnostics=none'],
      world.folder,
    );
    refusals = refusalsByLine(stdout, stderr);
  });
  afterAll(() => rmSync(world.folder, { recursive: true, force: true }));

  /** Writes down where each probe stands. */
  function textOf(file, group) {
    const lines = [];
    for (const [index, probe] of group.entries()) {
      const own = probe.code.replaceAll('$', index).split('\n');
      probe.lines = own.map((_, line) => `${file}:${lines.length + line + 1}`);
      lines.push(...own);
    }
    return `${lines.join('\n')}\n`;
  }

  const rows = Map.groupBy(
    all,
    ({ title, refusedBy }) => `${title}: ${refusedBy === undefined ? 'passes' : `refused by ${refusedBy}`}`,
  );
  test.each([...rows])('%s', (_title, group) => {
    const answers = group.map((probe) => ({ ...probe, got: probe.lines.flatMap((line) => refusals.get(line) ?? []) }));
    const wrong = answers.filter(({ refusedBy, got }) => (refusedBy === undefined ? got.length > 0 : !got.includes(refusedBy)));
    expect(wrong.map(({ from, to, got }) => `${from} -> ${to}: ${got.join() || 'passes'}`)).toEqual([]);
  });
});

/** tsc knows nothing of layers, and takes any package; but it refuses a path into a project that is no reference, and unknown globals. */
describe('tsc, the second net', () => {
  let world;
  let output;

  beforeAll(() => {
    world = createWorld();
    for (const from of Object.keys(layers)) {
      for (const to of strangers(from))
        world.write(`${folderOf(from)}/src/to-${to}.ts`, `export type { X } from '../../../${folderOf(to)}/src/index.ts';\n`);
      world.write(`${folderOf(from)}/src/globals.ts`, OUTSIDE.map((name) => `export const ${name}_ = ${name};`).join('\n'));
    }
    const folders = Object.keys(layers).map(folderOf);
    output = run(bin('typescript/bin/tsc'), ['-b', '--pretty', 'false', ...folders], world.folder).stdout;
  });
  afterAll(() => rmSync(world.folder, { recursive: true, force: true }));

  test.each(Object.keys(layers))('%s reaches no project by its path', (from) => {
    const refused = new Set(
      [...output.matchAll(/error TS6059: File '([^']+)\/src\/index\.ts' is not under 'rootDir' '([^']+)\/src'/g)]
        .filter(([, , rootDir]) => rootDir.endsWith(`/${folderOf(from)}`))
        .map(([, file]) => file.slice(file.lastIndexOf('/') + 1)),
    );
    const passed = strangers(from).filter((to) => !refused.has(to));
    expect(passed).toEqual([]);
  });

  test.each(Object.keys(layers).filter(isPure))('%s finds no global of Node or the browser declared', (from) => {
    const refused = output.split('\n').filter((line) => line.startsWith(`${folderOf(from)}/src/globals.ts`));
    expect(refused).toHaveLength(OUTSIDE.length);
  });
});

/** tsc follows references of references, so those are Biome's alone. */
function strangers(from) {
  const reached = (name) => [name, ...layers[name].flatMap(reached)];
  const known = reached(from);
  return Object.keys(layers).filter((name) => !known.includes(name));
}

/** Those of the banned globals that are not part of the language itself. */
const OUTSIDE = Object.keys(deniedGlobals).filter(
  (name) => !['Date', 'Promise', 'WeakRef', 'FinalizationRegistry', 'globalThis', 'Function', 'eval'].includes(name),
);

function refusalsByLine(stdout, stderr) {
  const refusals = new Map();
  if (stdout === '') throw new Error(`Biome did not run: ${stderr}`);
  for (const { category, message, location } of JSON.parse(stdout).diagnostics) {
    if (category === 'parse') throw new Error(`a probe is no TypeScript: ${location.path}: ${message}`);
    const line = `${location.path}:${location.start?.line}`;
    if (BORDER.test(category)) refusals.set(line, [...(refusals.get(line) ?? []), category]);
  }
  return refusals;
}
