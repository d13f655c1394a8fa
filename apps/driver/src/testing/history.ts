import { type Pod, readPod } from '@sallyport/kube';
import { type PodShape, podObject } from '@sallyport/kube/testing';

/** What happened in a cluster, second by second. */
export interface History {
  readonly name: string;
  readonly steps: readonly HistoryStep[];
  /** Milliseconds. */
  readonly endsAt: number;
}

export type HistoryStep = readonly [second: number, uid: string, shape: PodShape | 'gone'];

export interface TruthEvent {
  readonly version: number;
  readonly at: number;
  readonly change: 'put' | 'remove';
  readonly pod: Pod;
}

/** What was so when, whatever anybody was told. */
export interface Truth {
  readonly uids: readonly string[];
  versionAt(ms: number): number;
  podsAt(version: number): readonly Pod[];
  between(after: number, until: number): readonly TruthEvent[];
  /** Its address, if it may be reached there by everything that is so at that moment; else `none`. */
  servesAt(uid: string, ms: number): string;
  /** Whether at some moment of this span the Pod was ready at this address. */
  wasServing(uid: string, address: string, from: number, until: number): boolean;
}

export function truthOf({ steps }: History): Truth {
  const events: TruthEvent[] = [];
  const last = new Map<string, Pod>();
  for (const [index, [second, uid, shape]] of steps.entries()) {
    const version = index + 2;
    const pod = shape === 'gone' ? last.get(uid) : podOf(uid, shape, version);
    if (pod === undefined) throw new Error(`${uid} goes before it came`);
    events.push({
      version,
      at: second * 1_000,
      change: shape === 'gone' ? 'remove' : 'put',
      pod: { ...pod, version: String(version) },
    });
    last.set(uid, pod);
  }
  const memo = new Map<number, readonly Pod[]>();

  const podsAt = (version: number): readonly Pod[] => {
    const known = memo.get(version);
    if (known !== undefined) return known;
    const pods = new Map<string, Pod>();
    for (const event of events) {
      if (event.version > version) break;
      if (event.change === 'put') pods.set(event.pod.uid, event.pod);
      else pods.delete(event.pod.uid);
    }
    memo.set(version, [...pods.values()]);
    return [...pods.values()];
  };
  const versionAt = (ms: number): number => events.findLast(({ at }) => at <= ms)?.version ?? 1;
  const isReady = (pod: Pod): boolean => pod.ready && !pod.terminal && !pod.deleting && pod.labels.pool === 'blue';

  return {
    uids: [...last.keys()],
    versionAt,
    podsAt,
    between: (after, until) => events.filter(({ version }) => version > after && version <= until),
    servesAt(uid, ms) {
      const pods = podsAt(versionAt(ms));
      const pod = pods.find((each) => each.uid === uid);
      const [ip] = pod?.ips ?? [];
      if (pod === undefined || ip === undefined || !isReady(pod)) return 'none';
      return pods.some((each) => each.uid !== uid && !each.terminal && each.ips.includes(ip)) ? 'none' : ip;
    },
    wasServing(uid, address, from, until) {
      const versions = [versionAt(from), ...events.filter(({ at }) => at > from && at <= until).map(({ version }) => version)];
      return versions.some((version) =>
        podsAt(version).some((pod) => pod.uid === uid && isReady(pod) && pod.ips.includes(address)),
      );
    },
  };
}

function podOf(uid: string, shape: PodShape, version: number): Pod {
  const object = podObject(`pod-${uid}`, { labels: { pool: 'blue' }, ...shape, uid });
  const pod = readPod({ ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
  if (pod === undefined) throw new Error('no Pod');
  return pod;
}

const at = (ip: string, more: PodShape = {}): PodShape => ({ ips: [ip], ...more });
const starting: PodShape = { ips: [], ready: false, phase: 'Pending' };

/** What clusters really do; the names say what is hard about it. */
export const HISTORIES: readonly History[] = [
  {
    name: 'an address is given to the next Pod at once',
    endsAt: 300_000,
    steps: [
      [5, 'a', starting],
      [8, 'a', at('10.0.0.1')],
      [60, 'a', at('10.0.0.1', { deleting: true })],
      [62, 'a', 'gone'],
      [62, 'b', starting],
      [63, 'b', at('10.0.0.1', { ready: false })],
      [66, 'b', at('10.0.0.1')],
      [150, 'b', 'gone'],
      [150, 'c', at('10.0.0.1')],
      [200, 'c', at('10.0.0.1', { ready: false })],
      [210, 'c', at('10.0.0.1')],
    ],
  },
  {
    name: 'an evicted Pod stays on record with an address that another one has',
    endsAt: 300_000,
    steps: [
      [5, 'a', at('10.0.0.1')],
      [50, 'a', at('10.0.0.1', { phase: 'Failed', ready: true })],
      [55, 'b', at('10.0.0.1')],
      [180, 'a', 'gone'],
      [220, 'b', at('10.0.0.1', { phase: 'Failed' })],
      [221, 'c', at('10.0.0.1')],
    ],
  },
  {
    name: 'readiness comes and goes, and a pool is changed by hand',
    endsAt: 300_000,
    steps: [
      [5, 'a', at('10.0.0.1')],
      [6, 'b', at('10.0.0.2')],
      [40, 'a', at('10.0.0.1', { ready: false })],
      [44, 'a', at('10.0.0.1')],
      [80, 'b', at('10.0.0.2', { labels: { pool: 'red' } })],
      [120, 'a', at('10.0.0.1', { ready: false })],
      [125, 'b', at('10.0.0.2')],
      [126, 'a', at('10.0.0.1')],
      [200, 'b', 'gone'],
    ],
  },
  {
    name: 'a rolling update, with addresses that go round',
    endsAt: 360_000,
    steps: [0, 1, 2, 3, 4, 5]
      .flatMap((n): HistoryStep[] => [
        [10 + n * 50, `p${n}`, starting],
        [14 + n * 50, `p${n}`, at(`10.0.0.${1 + (n % 3)}`)],
        [90 + n * 50, `p${n}`, at(`10.0.0.${1 + (n % 3)}`, { deleting: true, ready: false })],
        [94 + n * 50, `p${n}`, 'gone'],
      ])
      .sort(([a], [b]) => a - b),
  },
  {
    name: 'two Pods have one address, until one goes',
    endsAt: 240_000,
    steps: [
      [5, 'a', at('10.0.0.1')],
      [60, 'b', at('10.0.0.1')],
      [120, 'a', 'gone'],
      [160, 'c', at('10.0.0.1', { ready: false })],
      [200, 'c', 'gone'],
    ],
  },
];
