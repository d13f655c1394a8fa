// `npm run gen`: writes every file that follows from another one. `--check` writes nothing and fails when something is out of date.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { biomeFile } from './gen/biome.mjs';
import { chartFiles } from './gen/chart.mjs';
import { jsonText, sameJson } from './gen/json.mjs';
import { projectFiles } from './gen/projects.mjs';
import { WIRE, wireFiles } from './gen/wire.mjs';
import { root } from './start/root.mjs';

const isCheck = process.argv.includes('--check');

const wanted = [...jsonFiles(biomeFile()), ...jsonFiles(projectFiles()), ...textFiles({ ...wireFiles(), ...chartFiles() })];
const stale = wanted.filter(({ isCurrent }) => !isCurrent);
const extra = globSync(`${WIRE}/**/*.ts`, { cwd: root }).filter((file) => !wanted.some((each) => each.file === file));

if (isCheck) {
  for (const { file } of stale) console.log(`out of date: ${file}`);
  for (const file of extra) console.log(`made from nothing: ${file}`);
  if (stale.length + extra.length > 0) {
    console.log('run `npm run gen` and commit what it writes');
    process.exitCode = 1;
  }
} else {
  for (const { file, text } of stale) write(file, text);
  for (const file of extra) rmSync(join(root, file));
  format(stale.map(({ file }) => file).filter((file) => file.endsWith('.json')));
  console.log(stale.length + extra.length === 0 ? 'all up to date' : [...stale.map(({ file }) => file), ...extra].join('\n'));
}

function jsonFiles(files) {
  return Object.entries(files).map(([file, value]) => ({
    file,
    text: jsonText(value),
    isCurrent: sameJson(file, value),
  }));
}

function textFiles(files) {
  return Object.entries(files).map(([file, text]) => ({ file, text, isCurrent: read(file) === text }));
}

function read(file) {
  return existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : undefined;
}

function write(file, text) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function format(files) {
  if (files.length === 0) return;
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  spawnSync(process.execPath, [biome, 'format', '--write', ...files], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}
