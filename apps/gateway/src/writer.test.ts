import type { StoreRevision } from '@sallyport/model';
import type { CommitOutcome, Store, StoreEntry, Transaction } from '@sallyport/store';
import { expect, test } from 'vitest';
import type { Membership } from './membership.ts';
import { createWriter, type Written } from './writer.ts';

const OWN = { key: 'own', is: 'created-at', revision: 3n as StoreRevision } as const;
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const holds = (value: string): StoreEntry => ({
  ...{ key: 'owner', value: text(value) },
  ...{ createRevision: 1n as StoreRevision, modRevision: 20n as StoreRevision },
});

interface Given {
  readonly authority?: false;
  readonly outcome: CommitOutcome;
  /** What the key holds when it is read; `unavailable`: no answer. */
  readonly reads?: StoreEntry | 'unavailable' | undefined;
}

async function write({ authority, outcome, reads }: Given) {
  const commits: Transaction[] = [];
  const doubted: string[] = [];
  let readCount = 0;
  const store = {
    commit: async (transaction: Transaction) => {
      commits.push(transaction);
      return outcome;
    },
    get: async () => {
      readCount += 1;
      return reads === 'unavailable' ? { kind: 'unavailable' } : { kind: 'read', value: reads, revision: 30n };
    },
  } as unknown as Store;
  const membership = {
    guard: () => (authority === false ? undefined : OWN),
    doubt: (key: string) => void doubted.push(key),
  } as Partial<Membership> as Membership;
  const opIdOf = (_key: string, value: Uint8Array): string => new TextDecoder().decode(value);
  const writer = createWriter({ store, membership, randomId: () => 'op-1', opIdOf });
  const written = await writer.write({
    guards: [{ key: 'owner', is: 'absent' }],
    puts: [{ key: 'owner', value: (opId) => text(opId) }],
    deletes: ['successor'],
  });
  return { written, commits, doubted, readCount };
}

const UNKNOWN: CommitOutcome = { kind: 'unknown', message: 'no answer' };
const refused = (...failed: number[]): CommitOutcome => ({ kind: 'refused', revision: 9n as StoreRevision, failed });
const rows: readonly (readonly [title: string, given: Given, written: Written, doubted: readonly string[]])[] = [
  [
    'is committed',
    { outcome: { kind: 'committed', revision: 8n as StoreRevision } },
    { kind: 'committed', revision: 8n as StoreRevision },
    [],
  ],
  [
    'is refused by what has moved, by its key',
    { outcome: refused(1) },
    { kind: 'refused', revision: 9n as StoreRevision, failed: ['owner'] },
    [],
  ],
  [
    'that finds the gateway’s own key gone makes it doubt that key',
    { outcome: refused(0) },
    { kind: 'refused', revision: 9n as StoreRevision, failed: ['own'] },
    ['own'],
  ],
  [
    'of unknown outcome was committed if the key holds it',
    { outcome: UNKNOWN, reads: holds('op-1') },
    { kind: 'committed', revision: 20n as StoreRevision },
    [],
  ],
  [
    'of unknown outcome was not, as of the read, if the key holds another',
    { outcome: UNKNOWN, reads: holds('op-0') },
    { kind: 'refused', revision: 30n as StoreRevision, failed: ['owner'] },
    [],
  ],
  [
    'nor if there is none',
    { outcome: UNKNOWN, reads: undefined },
    { kind: 'refused', revision: 30n as StoreRevision, failed: ['owner'] },
    [],
  ],
  [
    'stays unknown while nothing can be read',
    { outcome: UNKNOWN, reads: 'unavailable' },
    { kind: 'unknown', message: 'no answer' },
    [],
  ],
];

test.each(rows)('a write %s', async (_title, given, want, wantDoubted) => {
  const { written, doubted } = await write(given);
  expect([written, doubted]).toEqual([want, wantDoubted]);
});

test('every write compares the gateway’s own key first, and is one transaction', async () => {
  const { commits } = await write({ outcome: refused() });
  expect(commits).toEqual([
    {
      guards: [OWN, { key: 'owner', is: 'absent' }],
      changes: [
        { kind: 'put', key: 'owner', value: text('op-1') },
        { kind: 'delete', key: 'successor' },
      ],
    },
  ]);
});

test('without authority nothing is sent, and what is unknown is read five times at most', async () => {
  const lapsed = await write({ authority: false, outcome: refused() });
  expect([lapsed.written, lapsed.commits]).toEqual([{ kind: 'no-authority' }, []]);
  expect((await write({ outcome: UNKNOWN, reads: 'unavailable' })).readCount).toBe(5);
});
