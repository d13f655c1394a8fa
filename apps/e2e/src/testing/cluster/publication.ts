import { call, discoveryV1, type Link, openStream } from '@sallyport/wire';

/** One thing that discovery said of a host, in order; all of them, none between two looks is missed. */
export interface Sight {
  readonly at: number;
  readonly host: string;
  /** Undefined: it is gone. */
  readonly shown: { readonly address: string; readonly podUid: string; readonly ownerEpoch: bigint } | undefined;
}

export interface Publication {
  readonly sights: readonly Sight[];
  /** What is shown now, by a question of its own. */
  resolve(host: string): Promise<discoveryV1.Record | undefined>;
  close(): void;
}

const PING_EACH_MS = 2_000;
const AGAIN_MS = 200;
const DEADLINE_MS = 2_000;

/** Follows discovery as an ingress would, and keeps everything that it says. */
export function followPublication(link: Link, bearer: string): Publication {
  const sights: Sight[] = [];
  const hosts = new Map<string, string>();
  const stopping = new AbortController();
  const show = (records: readonly discoveryV1.Record[]): void => {
    for (const { recordId, host, endpoint, ownerEpoch } of records) {
      hosts.set(recordId, host);
      const { address = '', podUid = '' } = endpoint ?? {};
      sights.push({ at: performance.now(), host, shown: { address, podUid, ownerEpoch } });
    }
  };
  const hide = (recordIds: readonly string[]): void => {
    for (const id of recordIds) sights.push({ at: performance.now(), host: hosts.get(id) ?? '', shown: undefined });
  };

  async function follow(): Promise<void> {
    const stream = openStream(link, discoveryV1.DiscoveryServiceService.watch, { bearer, signal: stopping.signal });
    stream.send({ request: { $case: 'start', value: { workspaces: [], resumeToken: '' } } });
    let ping = 0n;
    const timer = setInterval(() => {
      ping += 1n;
      stream.send({ request: { $case: 'ping', value: { id: ping } } });
    }, PING_EACH_MS);
    for await (const { response } of stream.received) {
      if (response?.$case === 'snapshot') show(response.value.records);
      if (response?.$case !== 'delta') continue;
      hide(response.value.tombstones.map(({ recordId }) => recordId));
      show(response.value.upserts);
    }
    clearInterval(timer);
    if (!stopping.signal.aborted) setTimeout(() => void follow(), AGAIN_MS);
  }

  void follow();
  return {
    sights,
    async resolve(host) {
      const answer = await call(link, discoveryV1.DiscoveryServiceService.resolve, { host }, { deadlineMs: DEADLINE_MS, bearer });
      const record = answer.ok ? answer.value.record : undefined;
      return record === undefined || record.ttlMs === 0 ? undefined : record;
    },
    close: () => stopping.abort(),
  };
}
