import { type Asking, askEach, PROBE_EVERY_MS } from '../../authority/rig/prober.ts';
import type { Client } from './client.ts';
import type { RunningPod } from './plan.ts';

export interface Probe {
  readonly at: string;
  readonly sentAt: number;
  /** `ok`, or status and code, or the error. */
  readonly outcome: string;
  readonly memory: string;
}

/** Asks each of these Pods, on a connection of its own each time. */
export function startProber(client: Client, host: string, pods: readonly RunningPod[]): Asking<Probe> {
  const asking = askEach(
    () => pods,
    async (pod) => {
      const sentAt = performance.now();
      const { status, code, body = '', error } = await client.get(pod, { host });
      const outcome = status === 200 ? 'ok' : (error ?? `${status} ${code}`);
      const memory = status === 200 ? (JSON.parse(body) as { memory: string }).memory : '';
      return { at: pod.name, sentAt, outcome, memory };
    },
  );
  client.closed.addEventListener('abort', () => void asking.stop());
  return asking;
}

/** Good answers of one Pod that were asked for after another one had given its first. */
export function answersAfterTakeover(probes: readonly Probe[], before: string, after: string): number {
  const good = probes.filter(({ outcome }) => outcome === 'ok').sort((a, b) => a.sentAt - b.sentAt);
  const takenAt = good.find(({ at }) => at === after)?.sentAt ?? Number.POSITIVE_INFINITY;
  return good.filter(({ at, sentAt }) => at === before && sentAt > takenAt + PROBE_EVERY_MS).length;
}
