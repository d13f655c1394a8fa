import { realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join, sep } from 'node:path';
import { root } from './root.mjs';

/**
 * How to call npm: [file, ...first arguments]. Under npm it is the very npm that called us; without npm, the one beside this
 * Node or on PATH. undefined if there is none.
 */
export function findNpm(env = process.env) {
  const node = nodeForNpm(env);
  const given = env.npm_execpath;
  if (given !== undefined && /^npm(-cli)?\.[cm]?js$/.test(basename(given))) return [node, given];
  const beside = real(join(dirname(node), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'));
  if (beside !== undefined) return [node, beside];
  for (const found of onPath('npm', env)) return found.endsWith('.js') ? [node, found] : [found];
  return undefined;
}

/** Never the pinned Node: `npm ci` removes node_modules, and with it the binary it would start its own children with. */
function nodeForNpm(env) {
  const candidates = [env.npm_node_execpath, process.execPath, ...onPath('node', env)];
  return candidates.find((file) => file !== undefined && !ours(file)) ?? process.execPath;
}

function ours(file) {
  return (real(file) ?? file).startsWith(join(root, 'node_modules') + sep);
}

function* onPath(name, env) {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    const file = folder === '' ? undefined : real(join(folder, name));
    if (file !== undefined) yield file;
  }
}

function real(file) {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}
