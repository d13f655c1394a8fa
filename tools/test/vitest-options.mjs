import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../start/root.mjs';

/**
 * What is wrong with the arguments that are vitest's, in one line, or undefined: vitest itself would end in a stack trace, and
 * only after everything else has been made ready. It knows best what it takes, so its own help is asked.
 */
export function wrongOption(args) {
  const options = args.filter((arg) => arg.startsWith('-') && !EVERYDAY.has(nameOf(arg)));
  if (options.length === 0) return undefined;
  const known = namesIn(helpOfVitest());
  const wrong = options.find((option) => !known.has(nameOf(option)));
  return wrong === undefined ? undefined : `there is no option ${JSON.stringify(wrong.split('=')[0])}`;
}

/** Of these no help is needed; it takes half a second. */
const EVERYDAY = new Set(['t', 'testnamepattern', 'bail', 'retry', 'update', 'u', 'reporter']);

/** `--no-x`, `--x.y=z` and `--x-y` are all options of vitest's called x, x and xY. */
const nameOf = (option) =>
  option
    .replace(/^--?/, '')
    .split(/[=.]/)[0]
    .replace(/^no-(?=.)/, '')
    .replaceAll('-', '')
    .toLowerCase();

const namesIn = (help) => new Set([...help.matchAll(/(?:^|[\s,])(--?[a-zA-Z][\w.-]*)/gm)].map(([, option]) => nameOf(option)));

function helpOfVitest() {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  return spawnSync(process.execPath, [vitest, 'run', '--help', '--expand-help'], { encoding: 'utf8' }).stdout;
}
