import { readFileSync } from 'node:fs';

/** Ticks of the kernel's clock for processes; fixed in its interface. */
const TICKS_PER_SECOND = 100;

/** Processor time of a process so far, user and system; milliseconds. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}

/** Resident memory of a process; MiB. */
export const residentMiB = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
