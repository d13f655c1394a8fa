import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { biomeFile } from './gen/biome.mjs';
import { readJson, sameJson } from './gen/json.mjs';
import { projectFiles } from './gen/projects.mjs';
import { base, folderOf, forbidden, io, isPure, joint, layers, packageOf, pure, worlds } from './layers.mjs';
import { root } from './start/root.mjs';
import { projects } from './test/projects.mjs';

test('the table names every project there is, and no other', () => {
  const present = projects().map(({ folder }) => folder);
  expect(present.filter((folder) => folder !== 'tools' && folder !== 'deploy').sort()).toEqual(
    Object.keys(layers).map(folderOf).sort(),
  );
});

test.each(Object.entries(pure))(
  'the pure lib %s depends on pure libs only, and not on itself by way of them',
  (name, allowed) => {
    expect(allowed.filter((each) => !isPure(each))).toEqual([]);
    const reached = (from) => layers[from].flatMap((each) => [each, ...reached(each)]);
    expect(reached(name)).not.toContain(name);
  },
);

test.each(Object.entries(base))('the base lib %s depends on nothing of ours', (_name, allowed) => expect(allowed).toEqual([]));

test.each(Object.entries(io))('the io lib %s depends on no io lib and no app', (_name, allowed) => {
  expect(allowed.filter((each) => !isPure(each) && !(each in base))).toEqual([]);
});

test.each(Object.entries(joint))('the joint lib %s depends on pure, base and io libs only', (_name, allowed) => {
  expect(allowed.filter((each) => !isPure(each) && !(each in base) && !(each in io))).toEqual([]);
});

test.each(Object.keys(forbidden))('%s may import nothing that leads to what is forbidden to it', (name) => {
  const reached = (from) => layers[from].flatMap((each) => [packageOf(each), ...reached(each)]);
  expect(Object.keys(forbidden[name]).filter((each) => reached(name).includes(each))).toEqual([]);
});

test('only dev and what tests are made of depend on apps', () => {
  const dependents = Object.keys(layers).filter((name) => layers[name].some((each) => folderOf(each).startsWith('apps/')));
  expect(dependents).toEqual(['dev', 'e2e', 'bench', ...Object.keys(worlds)]);
});

describe.each(Object.keys(layers))('%s', (name) => {
  test('declares only what it may import', () => {
    const { dependencies = {} } = readJson(`${folderOf(name)}/package.json`);
    const ours = Object.keys(dependencies).filter((each) => each.startsWith('@sallyport/'));
    expect(ours.filter((each) => !layers[name].map(packageOf).includes(each))).toEqual([]);
    if (isPure(name)) expect(Object.keys(dependencies)).toEqual(ours);
  });

  test('knows Node only if it is not pure', () => {
    const { types } = readJson(`${folderOf(name)}/tsconfig.json`).compilerOptions;
    expect(types).toEqual(isPure(name) ? [] : ['node']);
  });
});

test.each(Object.entries({ ...biomeFile(), ...projectFiles() }))(
  '%s says what it is made from (else: npm run gen)',
  (file, wanted) => {
    expect(sameJson(file, wanted)).toBe(true);
  },
);

test('every forbidden package exists, or a slip of the pen would forbid nothing', () => {
  const known = readJson('package-lock.json').packages;
  for (const name of Object.values(forbidden).flatMap(Object.keys)) {
    const isOurs = Object.keys(layers).some((each) => packageOf(each) === name && existsSync(join(root, folderOf(each))));
    expect.soft(isOurs || `node_modules/${name}` in known, name).toBe(true);
  }
});
