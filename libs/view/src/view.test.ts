import type { MemberId, OwnerEpoch, SandboxId, StoreRevision } from '@sallyport/model';
import { createManualClock } from '@sallyport/process/manual-clock';
import { createMemoryStore, ownerKey, type Store } from '@sallyport/store';
import { encodeOwnership } from '@sallyport/wire';
import { describe, expect, test } from 'vitest';
import { followWorld } from './view.ts';

const sb = (n: number): SandboxId => `sb-${n}` as SandboxId;
const owned = (by: string, epoch = 7n) => ({ kind: 'owned', epoch: epoch as OwnerEpoch, by: by as MemberId }) as const;

/** A view on a store in this process, and a client that writes. */
async function createStage(first: (writer: Store) => Promise<unknown> = async () => undefined) {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  const writer = store.connect();
  const settle = () => clock.advanceAsync(1);
  const settled = async <T>(promise: Promise<T>): Promise<T> => {
    await settle();
    return promise;
  };
  await settled(first(writer));
  const reader = store.connect();
  const problems: string[] = [];
  const relists: string[] = [];
  const view = followWorld({
    store: reader,
    clock,
    onProblem: (problem) => problems.push(problem),
    onRelist: (why) => relists.push(why),
  });
  const write = async (n: number, value: Uint8Array): Promise<StoreRevision> => {
    const outcome = await settled(writer.commit({ guards: [], changes: [{ kind: 'put', key: ownerKey(sb(n)), value }] }));
    if (outcome.kind !== 'committed') throw new Error(outcome.kind);
    return outcome.revision;
  };
  return { clock, store, writer, reader, view, problems, relists, settle, write };
}

const putOwner = (writer: Store, n: number, by: string) =>
  writer.commit({ guards: [], changes: [{ kind: 'put', key: ownerKey(sb(n)), value: encodeOwnership(owned(by), 'op') }] });

describe('a view', () => {
  test('is incomplete until all is listed, and never shows an empty world for a full one', async () => {
    const { view, settle } = await createStage((writer) => putOwner(writer, 1, 'm0'));
    expect(view.complete()).toBe(false);
    await settle();
    await view.ready;
    expect(view.complete()).toBe(true);
    expect(view.world.owners.get(sb(1))?.value).toEqual(owned('m0'));
  });

  test('tells of each change after the world has it, and how it came to know', async () => {
    const { view, settle, write } = await createStage((writer) => putOwner(writer, 1, 'm0'));
    const heard: string[] = [];
    const stop = view.onChange((changes, how) => {
      for (const { key } of changes) {
        const id = 'sandboxId' in key ? key.sandboxId : '';
        heard.push(`${how} ${id} ${JSON.stringify(view.world.owners.get(id as SandboxId)?.value.kind)}`);
      }
    });
    await settle();
    await write(2, encodeOwnership(owned('m1'), 'op'));
    expect(heard).toEqual(['listed sb-1 "owned"', 'watched sb-2 "owned"']);
    stop();
    await write(3, encodeOwnership(owned('m1'), 'op'));
    expect(heard).toHaveLength(2);
  });

  test('has reached a revision once it came back, with all before it, and not sooner', async () => {
    const { view, reader, settle, write } = await createStage();
    await settle();
    reader.cutOff(true);
    const revision = await write(1, encodeOwnership(owned('m0'), 'op'));
    let reached = false;
    void view.reached(revision).then(() => {
      reached = true;
    });
    await settle();
    expect(reached).toBe(false);
    expect(view.connected()).toBe(false);
    reader.cutOff(false);
    await settle();
    expect(reached).toBe(true);
    expect(view.world.owners.get(sb(1))?.modRevision).toBe(revision);
    await view.reached(revision);
  });

  test('takes what it cannot read for absent: nothing rests on it, nor on the value before', async () => {
    const { view, problems, settle, write } = await createStage();
    await settle();
    await write(1, encodeOwnership(owned('m0'), 'op'));
    await write(1, new Uint8Array([255, 255, 255]));
    expect(view.world.owners.has(sb(1))).toBe(false);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(ownerKey(sb(1)));
  });

  test('lists anew when history is gone, and ends with the same world', async () => {
    const { clock, view, store, reader, relists, settle, write, writer } = await createStage();
    await settle();
    await write(1, encodeOwnership(owned('m0'), 'op'));
    await write(2, encodeOwnership(owned('m0'), 'op'));
    reader.cutOff(true);
    await write(1, encodeOwnership(owned('m1', 9n), 'op'));
    void writer.commit({ guards: [], changes: [{ kind: 'delete', key: ownerKey(sb(2)) }] });
    await settle();
    store.compact(store.revision());
    reader.cutOff(false);
    await clock.advanceAsync(3_000);
    expect(relists).toContain('compacted');
    expect(view.complete()).toBe(true);
    expect([...view.world.owners].map(([id, { value }]) => [id, value])).toEqual([[sb(1), owned('m1', 9n)]]);
    expect(view.world.revision).toBe(store.revision());
  });
});
