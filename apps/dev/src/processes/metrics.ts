import type { Address } from '@sallyport/process';

/** One sample without labels of a process's own metrics; 0 when the process does not answer. */
export async function readMetric({ host, port }: Address, name: string): Promise<number> {
  try {
    const response = await fetch(`http://${host}:${port}/metrics`, { signal: AbortSignal.timeout(1_000) });
    const line = (await response.text()).split('\n').find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1) ?? 0);
  } catch {
    return 0;
  }
}
