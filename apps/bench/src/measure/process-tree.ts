import { readdirSync, readFileSync } from 'node:fs';

/** What the kernel has counted for a process and all that came of it. */
export interface Usage {
  /** Processor time, user and system, microseconds; in steps of {@link TICK_US}. */
  readonly cpuUs: number;
  readonly residentBytes: number;
}

/** USER_HZ is 100 on every Linux that Node runs on. */
export const TICK_US = 10_000;
const PAGE_BYTES = 4_096;

/**
 * Looks at `/proc/PID/stat` of a process and of its descendants: a server with a master and a worker is measured whole,
 * and so are the children that it has already waited for.
 */
export function usageOf(pid: number): Usage {
  let cpuUs = 0;
  let residentBytes = 0;
  const all = statsByParent();
  for (const waiting = [readStat(pid)]; waiting.length > 0; ) {
    const stat = waiting.pop();
    if (stat === undefined) continue;
    cpuUs += stat.ticks * TICK_US;
    residentBytes += stat.residentPages * PAGE_BYTES;
    waiting.push(...(all.get(stat.pid) ?? []));
  }
  return { cpuUs, residentBytes };
}

export interface Stat {
  readonly pid: number;
  readonly parent: number;
  /** utime, stime, cutime and cstime. */
  readonly ticks: number;
  readonly residentPages: number;
}

/** One line of `/proc/PID/stat` (proc_pid_stat(5)); the name in brackets may hold blanks and brackets itself. */
export function parseStat(line: string): Stat {
  const pid = Number.parseInt(line, 10);
  // Field 3, the state, is the first one here.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return { pid, parent: field(4), ticks: field(14) + field(15) + field(16) + field(17), residentPages: field(24) };
}

function readStat(pid: number | string): Stat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

function statsByParent(): ReadonlyMap<number, readonly Stat[]> {
  const found = new Map<number, Stat[]>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(name) : undefined;
    if (stat === undefined) continue;
    const siblings = found.get(stat.parent);
    if (siblings === undefined) found.set(stat.parent, [stat]);
    else siblings.push(stat);
  }
  return found;
}
