import type { StoreRevision } from '@sallyport/model';
import { beforeEach, describe, expect, test } from 'vitest';
import { KEY_LENGTH_MAX, VALUE_BYTES_MAX } from '../limits.ts';
import { type Change, COMMIT_OPERATIONS_MAX, type Guard, type Store, type Transaction } from '../port.ts';
import { bytes, committed, drop, entryOf, put, type StoreHarness, text } from './harness.ts';

export function commitContract(current: () => StoreHarness): void {
  let store: Store;
  let key: (name: string) => string;
  beforeEach(() => {
    store = current().connect();
    key = (name) => current().prefix + name;
  });
  const revisionNow = async (): Promise<StoreRevision> => {
    const read = await store.get(key('none'));
    if (read.kind !== 'read') throw new Error(read.message);
    return read.revision;
  };

  describe('reading', () => {
    test('a key that is not there is undefined, at a revision', async () => {
      expect(await store.get(key('none'))).toMatchObject({ kind: 'read', value: undefined, revision: expect.any(BigInt) });
    });
    test('shows value, create revision and mod revision', async () => {
      const created = await committed(store, [put(key('a'), '1')]);
      const changed = await committed(store, [put(key('a'), '2')]);
      expect(changed).toBe(created + 1n);
      expect(await entryOf(store, key('a'))).toMatchObject({ key: key('a'), createRevision: created, modRevision: changed });
      expect(text((await entryOf(store, key('a')))?.value as Uint8Array)).toBe('2');
    });
    test('a key made again is a new incarnation', async () => {
      await committed(store, [put(key('a'), '1')]);
      await committed(store, [drop(key('a'))]);
      const again = await committed(store, [put(key('a'), '1')]);
      expect(await entryOf(store, key('a'))).toMatchObject({ createRevision: again, modRevision: again });
    });
    test('another client sees a commit as soon as it is acknowledged', async () => {
      const other = current().connect();
      await committed(store, [put(key('a'), '1')]);
      expect(await entryOf(other, key('a'))).toBeDefined();
    });
    test('lists what is under the prefix alone, sorted, as of one revision', async () => {
      await committed(store, [
        put(key('s/b'), ''),
        put(key('s/a/x'), ''),
        put(key('s/a-'), ''),
        put(key('s'), ''),
        put(key('t/a'), ''),
      ]);
      const listed = await store.list(key('s/'));
      expect(listed).toMatchObject({ kind: 'read', revision: await revisionNow() });
      expect(listed.kind === 'read' && listed.value.map((entry) => entry.key)).toEqual([key('s/a-'), key('s/a/x'), key('s/b')]);
    });
    test('an empty list is a list', async () =>
      expect(await store.list(key('none/'))).toMatchObject({ kind: 'read', value: [] }));
    test('keeps bytes as they are', async () => {
      const value = Uint8Array.from({ length: 256 }, (_, index) => index);
      await committed(store, [{ kind: 'put', key: key('a'), value }]);
      expect([...((await entryOf(store, key('a')))?.value ?? [])]).toEqual([...value]);
    });
    test('keeps a value although its buffer is used again', async () => {
      const value = bytes('before');
      const outcome = store.commit({ guards: [], changes: [{ kind: 'put', key: key('a'), value }] });
      value.fill(0);
      await outcome;
      expect(text((await entryOf(store, key('a')))?.value as Uint8Array)).toBe('before');
    });
  });

  describe('guards', () => {
    const before = (revision: StoreRevision): StoreRevision => (revision - 1n) as StoreRevision;
    /** `a` was made at `made` and changed at `moved`; `gone` was deleted; `none` never was. */
    const rows: [title: string, guard: (at: { made: StoreRevision; moved: StoreRevision }) => Guard, holds: boolean][] = [
      ['absent, and it never was', () => ({ key: key('none'), is: 'absent' }), true],
      ['absent, and it was deleted', () => ({ key: key('gone'), is: 'absent' }), true],
      ['absent, but it is there', () => ({ key: key('a'), is: 'absent' }), false],
      ['unmoved', ({ moved }) => ({ key: key('a'), is: 'unmoved-since', revision: moved }), true],
      ['unmoved, but it moved', ({ made }) => ({ key: key('a'), is: 'unmoved-since', revision: made }), false],
      ['unmoved, but it never was', ({ moved }) => ({ key: key('none'), is: 'unmoved-since', revision: moved }), false],
      ['unmoved, but it was deleted', ({ made }) => ({ key: key('gone'), is: 'unmoved-since', revision: made }), false],
      ['this incarnation', ({ made }) => ({ key: key('a'), is: 'created-at', revision: made }), true],
      ['this incarnation, named by a later change', ({ moved }) => ({ key: key('a'), is: 'created-at', revision: moved }), false],
      [
        'this incarnation, but it was another',
        ({ made }) => ({ key: key('a'), is: 'created-at', revision: before(made) }),
        false,
      ],
      ['this incarnation, but it was deleted', ({ made }) => ({ key: key('gone'), is: 'created-at', revision: made }), false],
    ];
    test.each(rows)('%s', async (_title, guard, holds) => {
      const made = await committed(store, [put(key('a'), '1'), put(key('gone'), '1')]);
      const moved = await committed(store, [put(key('a'), '2'), drop(key('gone'))]);
      const outcome = await store.commit({ guards: [guard({ made, moved })], changes: [put(key('new'), '1')] });
      expect(outcome.kind).toBe(holds ? 'committed' : 'refused');
      expect((await entryOf(store, key('new'))) !== undefined).toBe(holds);
    });

    test('a refusal names every guard that failed and changes nothing', async () => {
      await committed(store, [put(key('a'), '1'), put(key('b'), '1')]);
      const at = await revisionNow();
      const outcome = await store.commit({
        guards: [
          { key: key('a'), is: 'absent' },
          { key: key('none'), is: 'absent' },
          { key: key('b'), is: 'unmoved-since', revision: before(at) },
        ],
        changes: [put(key('a'), '2'), drop(key('b'))],
      });
      expect(outcome).toEqual({ kind: 'refused', revision: at, failed: [0, 2] });
      expect(await revisionNow()).toBe(at);
      expect(text((await entryOf(store, key('a')))?.value as Uint8Array)).toBe('1');
      expect(await entryOf(store, key('b'))).toBeDefined();
    });
    test('judge the state before the transaction, not its own changes', async () => {
      const outcome = await store.commit({ guards: [{ key: key('a'), is: 'absent' }], changes: [put(key('a'), '1')] });
      expect(outcome.kind).toBe('committed');
    });
    test('may compare one key twice', async () => {
      const made = await committed(store, [put(key('a'), '1')]);
      const guards: Guard[] = [
        { key: key('a'), is: 'created-at', revision: made },
        { key: key('a'), is: 'unmoved-since', revision: made },
      ];
      expect(await store.commit({ guards, changes: [] })).toMatchObject({ kind: 'committed' });
    });
    test('of two that race for one key, one wins', async () => {
      const stores = [store, current().connect(), current().connect()];
      const outcomes = await Promise.all(
        stores.map((each, index) =>
          each.commit({ guards: [{ key: key('a'), is: 'absent' }], changes: [put(key('a'), String(index))] }),
        ),
      );
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['committed', 'refused', 'refused']);
    });
  });

  describe('changes', () => {
    test('of one transaction share one revision', async () => {
      const revision = await committed(store, [put(key('a'), ''), put(key('b'), '')]);
      for (const name of ['a', 'b']) expect(await entryOf(store, key(name))).toMatchObject({ modRevision: revision });
    });
    test('that change nothing raise no revision', async () => {
      const at = await committed(store, [put(key('a'), '')]);
      expect(await store.commit({ guards: [], changes: [] })).toEqual({ kind: 'committed', revision: at });
      expect(await store.commit({ guards: [], changes: [drop(key('none'))] })).toEqual({ kind: 'committed', revision: at });
    });
    test('as many as are allowed', async () => {
      const changes = Array.from({ length: COMMIT_OPERATIONS_MAX }, (_, index) => put(key(`many/${index}`), ''));
      const guards: Guard[] = changes.map((change) => ({ key: change.key, is: 'absent' }));
      await committed(store, changes, guards);
    });
    test('as large as is allowed', async () => {
      await committed(store, [{ kind: 'put', key: key('a'), value: new Uint8Array(VALUE_BYTES_MAX) }]);
    });

    const many = (count: number): Change[] => Array.from({ length: count }, (_, index) => put(key(`many/${index}`), ''));
    const refused: [title: string, make: () => Partial<Transaction>][] = [
      ['too many changes', () => ({ changes: many(COMMIT_OPERATIONS_MAX + 1) })],
      [
        'too many guards',
        () => ({ guards: many(COMMIT_OPERATIONS_MAX + 1).map((change) => ({ key: change.key, is: 'absent' })) }),
      ],
      ['one key twice', () => ({ changes: [put(key('a'), '1'), put(key('a'), '2')] })],
      ['one key put and deleted', () => ({ changes: [put(key('a'), '1'), drop(key('a'))] })],
      [
        'a value that is too large',
        () => ({ changes: [{ kind: 'put', key: key('a'), value: new Uint8Array(VALUE_BYTES_MAX + 1) }] }),
      ],
      [
        'values that are too large together',
        () => ({ changes: ['a', 'b'].map((name) => ({ kind: 'put', key: key(name), value: new Uint8Array(VALUE_BYTES_MAX) })) }),
      ],
      ['a key that is too long', () => ({ changes: [put(key('x'.repeat(KEY_LENGTH_MAX)), '')] })],
      ['an empty key', () => ({ changes: [put('', '')] })],
      ['a key that is not ASCII', () => ({ changes: [put(key('ä'), '')] })],
    ];
    test.each(refused)('refuses %s as a mistake of the caller', async (_title, make) => {
      const at = await revisionNow();
      await expect(store.commit({ guards: [], changes: [], ...make() })).rejects.toThrow(RangeError);
      expect(await revisionNow()).toBe(at);
    });
  });

  describe('a commit whose answer was lost', () => {
    const attempt = (opId: string) => store.commit({ guards: [{ key: key('a'), is: 'absent' }], changes: [put(key('a'), opId)] });
    /** What callers do: read the key and compare the operation's id. */
    const settle = async (opId: string): Promise<'happened' | 'did not'> => {
      const entry = await entryOf(current().connect(), key('a'));
      return entry !== undefined && text(entry.value) === opId ? 'happened' : 'did not';
    };

    test.each([
      [true, 'happened'],
      [false, 'did not'],
    ] as const)('is unknown, and settled by reading: took effect %s', async (happens, settled) => {
      current().loseAnswerOfNextCommit(store, happens);
      expect(await attempt('op-1')).toMatchObject({ kind: 'unknown' });
      expect(await settle('op-1')).toBe(settled);
    });
    test('is never reported as refused by its own effect', async () => {
      current().loseAnswerOfNextCommit(store, true);
      expect((await attempt('op-1')).kind).toBe('unknown');
      // An adapter that retried by itself would have found the key there and said so.
      expect(await attempt('op-2')).toMatchObject({ kind: 'refused', failed: [0] });
      expect(await settle('op-1')).toBe('happened');
    });
  });

  describe('a client that was closed', () => {
    test('gets no answers, and harms no other', async () => {
      const other = current().connect();
      await store.close();
      expect((await store.get(key('a'))).kind).toBe('unavailable');
      expect((await store.list(key(''))).kind).toBe('unavailable');
      expect((await store.lease(5_000)).kind).toBe('unavailable');
      expect((await store.commit({ guards: [], changes: [put(key('a'), '1')] })).kind).toBe('unknown');
      await committed(other, [put(key('b'), '1')]);
    });
    test('may be closed again', async () => {
      await store.close();
      await store.close();
    });
  });
}
