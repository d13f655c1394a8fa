// `npm run bench`: the listener of a supervisor and other proxies on the same work, in the same run.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coresHere } from '../measure/cores.ts';
import { ratiosOf, US } from '../measure/figures.ts';
import { machineHere, nameOf } from '../measure/machine.ts';
import { measure } from '../measure/measure.ts';
import { openRig } from '../measure/rig.ts';
import { floorLines } from '../report/floors.ts';
import { jsonOf } from '../report/json.ts';
import { readReference, voidedBy } from '../report/reference.ts';
import { cpuTable, figuresTable, missingLines, ratiosTable, spreadTable } from '../report/tables.ts';
import { type Scenario, scenarios } from '../scenarios.ts';
import { nodePeers } from '../subjects/node-peers.ts';
import { caddy, haproxy, nginx } from '../subjects/programs.ts';
import type { Subject } from '../subjects/subject.ts';
import { supervisor } from '../subjects/us.ts';
import { type Options, readOptions, usage } from './options.ts';

const PEERS: readonly Subject[] = [nginx, haproxy, caddy, ...nodePeers];
const DOCUMENT = new URL('../../../../docs/performance.md', import.meta.url);

const known = { scenarios: scenarios.map(({ name }) => name), peers: PEERS.map(({ name }) => name) };
const options = readOptions(process.argv.slice(2), known);
if (options === 'help') console.log(usage(known));
else if ('problem' in options) {
  console.error(`${options.problem}\n\n${usage(known)}`);
  process.exitCode = 64;
} else process.exitCode = await run(options);

async function run({ rounds, scenarios: asked, peers, jsonFile, profileFolder }: Options): Promise<number> {
  const cores = coresHere();
  if (cores === undefined) {
    console.error('bench: one core is not enough: the load would take what it measures');
    return 1;
  }
  const chosen = scenarios.filter(({ name }) => asked.length === 0 || asked.includes(name)).filter(canRun);
  const subjects = [supervisor(profileFolder), ...PEERS.filter(({ name }) => peers === undefined || peers.includes(name))].filter(
    isInstalled,
  );
  const machine = machineHere();
  const { processor, coreCount, kernel, node, openssl, loadBefore } = machine;
  console.log(`${processor}, ${coreCount} cores, Linux ${kernel}, Node ${node} (OpenSSL ${openssl}); load before: ${loadBefore}`);
  console.log(
    `proxy on core ${cores.proxy}, load on ${cores.load}; ${rounds} rounds; ${subjects.map(nameAndVersion).join(', ')}`,
  );

  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const rig = await openRig(cores, folder);
  try {
    const startedAt = performance.now();
    const onProgress = (line: string): void =>
      console.error(`${String(Math.round((performance.now() - startedAt) / 1_000)).padStart(4)} s  ${line}`);
    const figures = await measure({ scenarios: chosen, subjects, rounds, rig, onProgress });
    const ratios = ratiosOf(figures, betterOf);
    const names = subjects.map(({ name }) => name);
    const others = names.filter((name) => name !== US);
    for (const text of [
      figuresTable(chosen, names, figures),
      cpuTable(chosen, names, figures),
      ratiosTable(chosen, others, ratios),
      spreadTable(chosen, names, figures),
    ])
      console.log(`\n${text}`);
    console.log('');
    for (const line of missingLines(figures)) console.log(line);
    const floors = floorLines(figures, ratios);
    for (const { holds, text } of floors) console.log(`${holds ? 'holds ' : 'MISSED'} ${text}`);

    const reference = existsSync(DOCUMENT) ? readReference(readFileSync(DOCUMENT, 'utf8')) : undefined;
    const comparable = reference?.machine === nameOf(machine);
    const voids = reference !== undefined && comparable ? voidedBy(reference, figures, betterOf, US) : [];
    if (!comparable) console.log(`not judged by docs/performance.md, whose figures are of ${reference?.machine ?? 'no machine'}`);
    for (const line of voids) console.log(line);
    if (voids.length > 0) console.log('void: the machine was not itself; run it again when nothing else runs');
    if (jsonFile !== undefined)
      writeFileSync(jsonFile, `${JSON.stringify(jsonOf(machine, rounds, chosen, figures, ratios, voids), undefined, 2)}\n`);
    return voids.length > 0 || floors.some(({ holds }) => !holds) ? 1 : 0;
  } finally {
    await rig.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function betterOf(scenario: string): 'more' | 'less' {
  return scenarios.find(({ name }) => name === scenario)?.better ?? 'more';
}

function canRun({ name, needs }: Scenario): boolean {
  if (needs === undefined || spawnSync(needs, ['--version']).error === undefined) return true;
  console.log(`skipped: ${name} needs ${needs}: apt-get install -y ${needs}`);
  return false;
}

function isInstalled({ name, version, installWith }: Subject): boolean {
  if (version() !== undefined) return true;
  console.log(`skipped: ${name} is not installed: ${installWith}`);
  return false;
}

function nameAndVersion({ name, version }: Subject): string {
  return `${name} ${version()}`;
}
