import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';

export interface Machine {
  readonly processor: string;
  readonly coreCount: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  readonly openssl: string;
  /** How busy it was over the last minute, before anything was measured. */
  readonly loadBefore: number;
}

export function machineHere(): Machine {
  const all = cpus();
  return {
    processor: all[0]?.model ?? 'unknown',
    coreCount: all.length,
    memoryGb: Math.round(totalmem() / 1_000_000_000),
    kernel: release(),
    node: process.version,
    openssl: process.versions.openssl ?? '',
    loadBefore: Number(readFileSync('/proc/loadavg', 'utf8').split(' ')[0]),
  };
}

/** What must be the same for figures to be compared. */
export const nameOf = ({ processor, coreCount }: Machine): string => `${processor}, ${coreCount} cores`;
