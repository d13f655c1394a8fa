import { readFile } from 'node:fs/promises';

/** Each connection that is passed on has two. */
const PER_CONNECTION = 2;
/**
 * Kept for what must work at the limit: the admin port, which says that the process lives; streams of discovery, without which all
 * records run out; files that are read again; and what Node itself has open, some 30.
 */
export const RESERVED_DESCRIPTORS = 128;

/** File descriptors that this process may have; undefined where the system does not say, or sets no limit. */
export async function readDescriptorLimit(path = '/proc/self/limits'): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const soft = /^Max open files\s+(\d+)/m.exec(text)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/**
 * How many connections fit. Past its descriptors a process is told nothing of a connection: the system library closes it
 * uncounted, and dials, probes and discovery fail with it. 0: none.
 */
export function fittingConnections(wanted: number, descriptors: number | undefined): number {
  if (descriptors === undefined) return wanted;
  return Math.min(wanted, Math.max(0, Math.floor((descriptors - RESERVED_DESCRIPTORS) / PER_CONNECTION)));
}
