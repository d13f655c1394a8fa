import { readFile } from 'node:fs/promises';

/** Of Linux: what a clock tick is, whatever the kernel was built with. */
const TICKS_PER_SECOND = 100;

export interface Usage {
  readonly cpuSeconds: number;
  readonly memoryMb: number;
}

/** What a process has used so far, as the kernel counts it. */
export async function usageOf(pid: number): Promise<Usage> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // Fields after the name, which may hold spaces: utime and stime are the 14th and 15th of the whole line.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const memoryMb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  return { cpuSeconds, memoryMb };
}
