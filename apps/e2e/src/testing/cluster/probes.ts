import type { Client } from './client.ts';
import type { RunningPod } from './plan.ts';

export interface Probe {
  readonly at: string;
  readonly sentAt: number;
  /** `ok`, or status and code, or the error. */
  readonly outcome: string;
  readonly memory: string;
}

export interface Prober {
  readonly probes: readonly Probe[];
  stop(): Promise<void>;
}

const EVERY_MS = 50;

/** Asks each of these Pods each 50 ms, on a connection of its own each time. */
export function startProber(client: Client, host: string, pods: readonly RunningPod[]): Prober {
  const probes: Probe[] = [];
  const open = new Set<Promise<void>>();
  const timer = setInterval(() => {
    for (const pod of pods) {
      const sentAt = performance.now();
      const asked = client.get(pod, { host }).then(({ status, code, body = '', error }) => {
        const outcome = status === 200 ? 'ok' : (error ?? `${status} ${code}`);
        const memory = status === 200 ? (JSON.parse(body) as { memory: string }).memory : '';
        probes.push({ at: pod.name, sentAt, outcome, memory });
        open.delete(asked);
      });
      open.add(asked);
    }
  }, EVERY_MS);
  client.closed.addEventListener('abort', () => clearInterval(timer));
  return {
    probes,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}

/** The longest stretch between two good answers of any of them, by when they were asked for; both ends count. */
export function longestGapMs(probes: readonly Probe[], from: number, to: number): number {
  const good = probes
    .filter(({ outcome, sentAt }) => outcome === 'ok' && sentAt >= from && sentAt <= to)
    .map(({ sentAt }) => sentAt);
  const marks = [from, ...good.sort((a, b) => a - b), to];
  return Math.max(...marks.slice(1).map((at, index) => at - (marks[index] as number)));
}

/** Good answers of one Pod that were asked for after another one had given its first. */
export function answersAfterTakeover(probes: readonly Probe[], before: string, after: string): number {
  const good = probes.filter(({ outcome }) => outcome === 'ok').sort((a, b) => a.sentAt - b.sentAt);
  const takenAt = good.find(({ at }) => at === after)?.sentAt ?? Number.POSITIVE_INFINITY;
  return good.filter(({ at, sentAt }) => at === before && sentAt > takenAt + EVERY_MS).length;
}
