import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled } from './installed.mjs';
import { takeLock } from './lock.mjs';
import { findNpm } from './npm.mjs';
import { nodeRuns } from './pinned-node.mjs';
import { root } from './root.mjs';
import { say } from './say.mjs';
import { supervise } from './supervise.mjs';

const STAMP = join(root, 'node_modules', '.sallyport-installed');
const LOCK = join(root, '.installing');
const LOCK_WAIT_MS = 5 * 60_000;

/** NODE_ENV=production or an omit setting of the user's would leave out what every command here needs. */
const CI = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];

/** Brings node_modules to what package-lock.json says. Resolves to undefined when it is there, else to how to end. */
export async function install() {
  if (stamped()) return undefined;
  const lock = await takeLock(LOCK, {
    waitMs: LOCK_WAIT_MS,
    onWait: (pid) => say(`waiting for another install to end (process ${pid ?? 'unknown'})`),
  });
  if (lock === undefined) {
    say(
      `another install has held ${LOCK} for ${LOCK_WAIT_MS / 60_000} minutes; end it, or remove that folder, and run this again`,
    );
    return { code: 1 };
  }
  try {
    // The one we waited for may have done it.
    if (stamped()) return undefined;
    if (!isInstalled(root)) {
      const failed = await runNpm(lock);
      if (failed !== undefined) return failed;
    }
    unlinkDeadNode();
    // Last: whatever stops us earlier leaves no stamp, and the next start installs again.
    writeFileSync(STAMP, stamp());
    return undefined;
  } finally {
    lock.drop();
  }
}

async function runNpm(lock) {
  const npm = findNpm();
  if (npm === undefined) {
    say('found no npm beside this Node or on PATH; install npm 10 or newer and run this again');
    return { code: 1 };
  }
  say('installing packages, about half a minute, only when package-lock.json has changed');
  rmSync(STAMP, { force: true });
  const [file, ...first] = npm;
  // npm's own output is progress, not an answer: it goes to stderr.
  const ended = await supervise(file, [...first, ...CI], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    onSpawn: lock.alsoHeldBy,
  });
  if (ended.signal) return ended;
  if (ended.interrupted) return { code: ended.code || 130 };
  if (ended.code === 0) return undefined;
  say(
    `npm ci failed with exit code ${ended.code} (why: above); check the network and the npm registry setting, then run this again`,
  );
  return { code: 1 };
}

/** Where the pinned Node does not run, npm 11's link to it would break the next `npm start` before a line of ours is read. */
function unlinkDeadNode() {
  const link = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(link) && !nodeRuns(link)) rmSync(link);
}

function stamped() {
  try {
    return readFileSync(STAMP, 'utf8') === stamp();
  } catch {
    return false;
  }
}

/** With the platform: one checkout may be shared between two systems, and packages carry binaries. */
function stamp() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}\n`;
}
