import { readFileSync } from 'node:fs';

/** Which processors the proxy has, and which everything around it, as taskset takes them. */
export interface Cores {
  readonly proxy: string;
  readonly load: string;
}

/** @param allowed a list of the kernel: `0-3,8` */
export function shareCores(allowed: string): Cores | undefined {
  const [first, ...others] = allowed.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
  return first === undefined || others.length === 0 ? undefined : { proxy: String(first), load: others.join(',') };
}

/** Those of this process. Undefined where there is only one: the load would measure itself. */
export const coresHere = (): Cores | undefined =>
  shareCores(/^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0');
