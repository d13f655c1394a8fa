#!/usr/bin/env node
// Starts the command line: from the sources in a checkout, from its bundle where it was installed. Plain JavaScript for any
// Node, because in a checkout the pinned Node may not be there yet; tools/start.mjs gets it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const starter = at('../../../tools/start.mjs');
// Beside this file in a package or an image.
const bundle = ['./cli.mjs', '../dist/cli.mjs'].map(at).find(existsSync);

if (existsSync(starter)) {
  const { status, signal } = spawnSync(process.execPath, [starter, 'cli', ...process.argv.slice(2)], { stdio: 'inherit' });
  if (signal !== null) process.kill(process.pid, signal);
  else process.exitCode = status ?? 1;
} else if (bundle !== undefined) {
  await import(new URL(`file://${bundle}`).href);
} else {
  process.stderr.write('sallyport: this installation holds no cli.mjs; install it again\n');
  process.exitCode = 1;
}
