import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const MARK = 'SALLYPORT_BROOD';
const SWEEP_GRACE_MS = 150;
const POLL_MS = 25;

/**
 * All processes that one command has started, however deep and whether or not their parents still live. On Linux they are known
 * by a mark in their environment, which children inherit and orphans keep; elsewhere by the parents that `ps` tells.
 */
export function createBrood() {
  const id = randomBytes(8).toString('hex');
  const noted = new Set();
  const members = process.platform === 'linux' ? () => marked(id) : () => [...noted].filter(isAlive);

  return {
    // Nested commands add theirs: the outermost finds everything.
    env: { [MARK]: `${process.env[MARK] ?? ''}/${id}` },

    /** To be called while the child `pid` lives: afterwards `ps` cannot tell whose its children were. */
    note(pid) {
      if (process.platform !== 'linux') for (const each of descendants(pid)) noted.add(each);
    },

    killAll(pid) {
      this.note(pid);
      for (const each of members()) kill(each, 'SIGKILL');
      kill(pid, 'SIGKILL');
    },

    /** After the child has ended: what it left behind gets a moment to end as well, then none. */
    async sweep() {
      const giveUpAt = performance.now() + SWEEP_GRACE_MS;
      for (const each of members()) kill(each, 'SIGTERM');
      while (members().length > 0 && performance.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      for (const each of members()) kill(each, 'SIGKILL');
    },
  };
}

function marked(id) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => environmentOf(pid).includes(id) && !isZombie(pid))
    .map(Number);
}

/** Empty for processes of other users and for those that have just ended. */
function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

function isZombie(pid) {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return true;
  }
}

function descendants(pid) {
  const rows = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).stdout ?? '';
  const parents = rows
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number));
  const found = [pid];
  for (const parent of found) for (const [child, its] of parents) if (its === parent) found.push(child);
  return found.slice(1);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}
