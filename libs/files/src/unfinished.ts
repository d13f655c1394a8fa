import { closeSync, openSync, rmSync } from 'node:fs';

/** Paths of files that are begun and not yet in their place. */
const unfinished = new Set<string>();

/**
 * Makes the file, for this user alone, and sees to it that it does not outlive a process that ends before `settle`: what is
 * being written is often a secret, and a start that is cut short ends without waiting for its writes.
 *
 * Synchronous, for then whether the file exists is known at every moment: an `open` that is still in Node's thread pool when the process
 * ends could make the file after it was looked for. Throws Node's file errors.
 */
export function begin(path: string): void {
  // First of those who clear up at the end: they see no file come to its place any more.
  if (unfinished.size === 0) process.prependOnceListener('exit', removeAll);
  unfinished.add(path);
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    settle(path);
    throw error;
  }
}

/** The file is in its place, or gone. */
export function settle(path: string): void {
  unfinished.delete(path);
  if (unfinished.size === 0) process.off('exit', removeAll);
}

function removeAll(): void {
  for (const path of unfinished) rmSync(path, { force: true });
}
