import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A lock without a pid in it is someone between two system calls, unless it is this old. */
const UNNAMED_MAX_MS = 5_000;
const POLL_MS = 200;

/**
 * Takes the folder `path` as a lock; resolves to what is needed to keep and to drop it, or to undefined when another process
 * held it for all of `waitMs`. `onWait(pid)` is called once if there is somebody to wait for.
 */
export async function takeLock(path, { waitMs, onWait }) {
  const giveUpAt = Date.now() + waitMs;
  for (let waiting = false; ; ) {
    if (create(path)) return held(path);
    if (removeIfDead(path)) continue;
    if (Date.now() >= giveUpAt) return undefined;
    if (!waiting) onWait(pidsIn(path)[0]);
    waiting = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function create(path) {
  try {
    mkdirSync(path);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  write(path, [process.pid]);
  return true;
}

function held(path) {
  return {
    /** The lock also lives as long as this child: it goes on working if we are killed. */
    alsoHeldBy: (pid) => write(path, [process.pid, pid]),
    drop: () => removeWhole(path),
  };
}

/** Renamed into place, so that nobody ever reads half of it. */
function write(path, pids) {
  const draft = join(path, `draft-${process.pid}`);
  writeFileSync(draft, pids.join('\n'));
  renameSync(draft, join(path, 'pid'));
}

/** True when the lock may be free now. Only one process may remove a given dead lock: `mkdir removing` inside it decides who. */
function removeIfDead(path) {
  const seen = pidsIn(path);
  if (!isDead(path, seen)) return false;
  try {
    mkdirSync(join(path, 'removing'));
  } catch (error) {
    if (error.code === 'ENOENT') return true;
    if (error.code !== 'EEXIST') throw error;
    // Somebody removes it right now, or died doing so.
    if (ageMs(join(path, 'removing')) < UNNAMED_MAX_MS) return false;
  }
  // Between our look and our mkdir the dead lock may have given way to a live one: then the mark is taken back.
  if (String(pidsIn(path)) !== String(seen)) {
    rmSync(join(path, 'removing'), { recursive: true, force: true });
    return false;
  }
  removeWhole(path);
  return true;
}

/** Out of the way in one step: a mark that somebody puts into it meanwhile would make its removal fail. */
function removeWhole(path) {
  const gone = `${path}-gone-${process.pid}`;
  try {
    renameSync(path, gone);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  rmSync(gone, { recursive: true, force: true });
}

function isDead(path, pids) {
  if (pids.length > 0) return !pids.some(isAlive);
  return ageMs(path) > UNNAMED_MAX_MS;
}

function ageMs(path) {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

function pidsIn(path) {
  try {
    return readFileSync(join(path, 'pid'), 'utf8').split('\n').map(Number).filter(Boolean);
  } catch {
    return [];
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
