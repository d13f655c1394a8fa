import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { say } from './say.mjs';

/** The oldest Node that runs our TypeScript as it is and that undici 8 accepts. */
const OLDEST = [22, 19];

/** The Node to run everything on: the pinned one if it runs here, else this one if it is new enough, else undefined and a line why. */
export function pinnedNode() {
  const platform = `${process.platform}-${process.arch}`;
  const pinned = join(root, 'node_modules', `node-${platform}`, 'bin', 'node');
  if (isThisNode(pinned) || nodeRuns(pinned)) return pinned;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return process.execPath;
  say(
    `needs Node ${OLDEST.join('.')} or newer (this is ${process.versions.node}, and no pinned Node runs on ${platform}); install Node 24 and run this again`,
  );
  return undefined;
}

function isThisNode(file) {
  try {
    return realpathSync(file) === realpathSync(process.execPath);
  } catch {
    return false;
  }
}

/** Present is not enough: the binary may want another libc than this machine has. */
export function nodeRuns(file) {
  const probe = spawnSync(file, ['-p', 'process.versions.node'], { encoding: 'utf8', timeout: 20_000 });
  return probe.status === 0 && /^\d+\./.test(probe.stdout);
}
