import { admitted, call, discoveryV1, openLink, openServerStream, readRecord } from '@sallyport/wire';
import type { Seen } from './judge.ts';
import { now, type ReaderOptions, seen } from './reader.ts';

export interface AskerOptions extends ReaderOptions {
  readonly hosts: () => readonly string[];
  /** Where answers go that contradict themselves, a sentence each. */
  readonly contradictions: string[];
}

const ASK_EVERY_MS = 250;
const DEADLINE_MS = 1_000;
const HOLDS = discoveryV1.ClauseState.CLAUSE_STATE_HOLDS;
const methods = discoveryV1.DiscoveryServiceService;

/** Asks one replica everything that can be asked of it, again and again. What it does not answer is no answer. */
export function startAsker(options: AskerOptions): { stop(): Promise<void> } {
  const { name, principal, bearer, tls, target, samples, hosts, contradictions } = options;
  const link = openLink({ target, tls, showsCertificate: false, server: { kind: 'host-name' } });
  const open = new Set<Promise<void>>();

  /** `ofHost`: it is all that there is of this one. A life counts from the asking. */
  function answered(by: string, askedAt: number, ofHost: string | undefined, records: readonly discoveryV1.Record[]): void {
    const at = now();
    const usable = records.filter(({ ttlMs }) => askedAt + ttlMs > at).map(readSeen);
    samples.push({ by: `${name}, ${by}`, principal, askedAt, at, records: usable, ofHost, darkSince: undefined });
  }

  async function resolve(host: string): Promise<void> {
    const askedAt = now();
    const answer = await call(link, methods.resolve, { host }, { deadlineMs: DEADLINE_MS, bearer });
    if (!answer.ok && answer.error.kind !== 'unknown') return;
    const record = answer.ok ? answer.value.record : undefined;
    answered('Resolve', askedAt, host, record === undefined ? [] : [record]);
  }

  async function explain(host: string): Promise<void> {
    const askedAt = now();
    const answer = await call(link, methods.explain, { host, principal: '' }, { deadlineMs: DEADLINE_MS, bearer });
    if (!answer.ok) return;
    const { published, clauses, record } = answer.value;
    const failing = clauses.filter(({ state }) => state !== HOLDS).map((clause) => clause.name);
    if (published !== (failing.length === 0) || published !== (record !== undefined))
      contradictions.push(`${name}: ${host} is ${published ? '' : 'not '}published; what does not hold: ${failing.join(', ')}`);
    answered('Explain', askedAt, host, record === undefined ? [] : [record]);
  }

  async function snapshot(): Promise<void> {
    const askedAt = now();
    const stream = openServerStream(link, methods.getSnapshot, { workspaces: [] }, { deadlineMs: DEADLINE_MS, bearer });
    const found = new Map<string, discoveryV1.Record>();
    let isWhole = false;
    for await (const { part } of stream.received) {
      for (const record of part?.records ?? []) found.set(record.recordId, record);
      for (const recordId of part?.removed ?? []) found.delete(recordId);
      isWhole = part?.token !== '';
    }
    if ((await stream.closed) === undefined && isWhole) answered('GetSnapshot', askedAt, undefined, [...found.values()]);
  }

  function ask(asked: Promise<void>): void {
    const kept = asked.finally(() => open.delete(kept));
    open.add(kept);
  }
  const timer = setInterval(() => {
    ask(snapshot());
    for (const host of hosts()) {
      ask(resolve(host));
      ask(explain(host));
    }
  }, ASK_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      link.close();
    },
  };
}

function readSeen(record: discoveryV1.Record): Seen {
  const read = admitted((check) => readRecord(check, record));
  if (!read.ok) throw new Error(read.error.message);
  return seen(read.value.record);
}
