import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageOf } from '../layers.mjs';
import { root } from '../start/root.mjs';
import { projects } from '../test/projects.mjs';
import { readJson } from './json.mjs';

/**
 * What tsc and nx are told about each project, as its folder and its package.json have it: the compiler's references are the
 * dependencies, and the test target is there exactly when there are tests, so that no project is green for want of them.
 */
export function projectFiles() {
  const files = {};
  const compiled = projects().filter(({ folder }) => existsSync(join(root, folder, 'tsconfig.json')));
  for (const project of compiled) {
    const { folder, tests } = project;
    const config = readJson(`${folder}/tsconfig.json`);
    files[`${folder}/tsconfig.json`] = { ...config, references: dependenciesOf(folder, compiled) };
    const nx = readJson(`${folder}/project.json`);
    const { test = {}, bundle = {}, ...others } = nx.targets;
    const targets = { ...others, ...(tests.length > 0 ? { test } : {}), ...(isApp(folder) ? { bundle } : {}) };
    files[`${folder}/project.json`] = { ...nx, targets };
  }
  // A project without a source is an error to tsc.
  const references = compiled.filter(({ sources }) => sources.length > 0).map(({ folder }) => ({ path: `./${folder}` }));
  files['tsconfig.json'] = { files: [], references };
  return files;
}

function dependenciesOf(folder, compiled) {
  const names = Object.keys(readJson(`${folder}/package.json`).dependencies ?? {});
  return compiled.filter(({ name }) => names.includes(packageOf(name))).map((other) => ({ path: `../../${other.folder}` }));
}

const isApp = (folder) => folder.startsWith('apps/') && existsSync(join(root, folder, 'src', 'main.ts'));
