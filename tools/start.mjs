// The door of every `npm run` command on a fresh clone: installs what is missing, picks the pinned Node, runs the command.
// No dependencies, and nothing newer than Node 18 can parse: this file runs before anything is installed.
import { commands, usage } from './start/commands.mjs';
import { helpFor } from './start/help.mjs';
import { install } from './start/install.mjs';
import { pinnedNode } from './start/pinned-node.mjs';
import { endLike, say } from './start/say.mjs';
import { supervise } from './start/supervise.mjs';

const [name, ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;

if (command === undefined) {
  say(usage(name));
  process.exitCode = 64;
} else if (helpFor(name, args) !== undefined) {
  console.log(helpFor(name, args));
} else {
  endLike((await install()) ?? (await run(command)));
}

async function run(command) {
  const node = pinnedNode();
  if (node === undefined) return { code: 1 };
  return supervise(node, [...command.run, ...args]);
}
