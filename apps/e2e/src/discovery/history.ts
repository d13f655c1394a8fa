import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordChange } from '@sallyport/authority';
import type { StoreRevision } from '@sallyport/model';
import { createClock } from '@sallyport/process';
import { ROOT, type StoreEvent } from '@sallyport/store';
import { createEtcdStore } from '@sallyport/store/etcd';
import { decodeEvent } from '@sallyport/view';

/** One revision of the store, and when it was first seen outside of it; milliseconds of this process. */
export interface Step {
  readonly revision: StoreRevision;
  readonly seenAt: number;
  readonly changes: readonly RecordChange[];
}

/** Every revision of the store from a moment on, as a watch of our own tells them. */
export interface History {
  readonly steps: readonly Step[];
  /** Reads it all again, from etcd's own history: what the two have of it must be the same. */
  readAgain(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const READ_AGAIN_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 50;

export async function followHistory(endpoints: readonly string[]): Promise<History> {
  const clock = createClock();
  const connect = () =>
    createEtcdStore({ endpoints: [...endpoints], clock, onWarning: () => undefined, onDisconnected: () => undefined });
  const store = await connect();
  const listed = await store.list(ROOT);
  if (listed.kind !== 'read') throw new Error(listed.message);
  const begin = { revision: listed.revision, events: listed.value.map((entry): StoreEvent => ({ kind: 'put', entry })) };
  const steps: Step[] = [{ revision: begin.revision, seenAt: performance.now(), changes: decoded(begin.events) }];
  let isLost = false;
  const from = (begin.revision + 1n) as StoreRevision;
  const watch = store.watch(ROOT, from, {
    changed: (events) => void steps.push(...stepsOf(events)),
    lost: () => {
      isLost = true;
    },
  });
  return {
    steps,
    async readAgain() {
      const again: Step[] = [];
      const other = await connect();
      const end = steps.at(-1)?.revision ?? begin.revision;
      const second = other.watch(ROOT, from, { changed: (events) => void again.push(...stepsOf(events)), lost: () => undefined });
      const until = performance.now() + READ_AGAIN_WITHIN_MS;
      while ((again.at(-1)?.revision ?? 0n) < end && performance.now() < until) await sleep(LOOK_EVERY_MS);
      second.close();
      await other.close();
      const text = ({ revision, changes }: Step): string =>
        `${revision} ${changes.map(({ key }) => JSON.stringify(key)).join(' ')}`;
      const seen = new Set(steps.slice(1).map(text));
      const kept = again.filter(({ revision }) => revision <= end).map(text);
      const problems = kept.filter((each) => !seen.has(each)).map((each) => `not seen: ${each}`);
      if (kept.length < seen.size) problems.push(`${seen.size} revisions were seen, etcd tells ${kept.length}`);
      return isLost ? ['the watch was lost', ...problems] : problems;
    },
    async close() {
      watch.close();
      await store.close();
      clock.stop();
    },
  };
}

function stepsOf(events: readonly StoreEvent[]): readonly Step[] {
  const seenAt = performance.now();
  const revisionOf = (event: StoreEvent): StoreRevision => (event.kind === 'put' ? event.entry.modRevision : event.modRevision);
  return [...Map.groupBy(events, revisionOf)].map(([revision, of]) => ({ revision, seenAt, changes: decoded(of) }));
}

const decoded = (events: readonly StoreEvent[]): readonly RecordChange[] =>
  events.map(decodeEvent).flatMap((each) => (each === undefined ? [] : [each.change]));
