import { createClock } from '@sallyport/process';
import { createEtcdStore } from '@sallyport/store/etcd';
import { followWorld } from '@sallyport/view';
import { type MemberSeen, nowMs, type OwnerMove } from './evidence.ts';

/** Who owned what, as the store tells: one watch at each member of etcd, so that one of them is always on time. */
export interface StoreWatch {
  readonly moves: readonly OwnerMove[];
  readonly members: readonly MemberSeen[];
  /** Which of our names a sandbox's id means. */
  nameOf(sandboxId: string): string | undefined;
  close(): Promise<void>;
}

export async function watchStore(endpoints: readonly string[]): Promise<StoreWatch> {
  const clock = createClock();
  const moves = new Map<string, OwnerMove>();
  const members = new Map<string, MemberSeen>();
  const names = new Map<string, string>();
  const last = new Map<string, bigint>();
  const closing: (() => unknown)[] = [];
  for (const endpoint of endpoints) {
    const store = await createEtcdStore({
      endpoints: [endpoint],
      clock,
      onWarning: () => undefined,
      onDisconnected: () => undefined,
    });
    const view = followWorld({ store, clock, onRelist: () => undefined, onProblem: () => undefined });
    view.onChange((changes) => {
      const seenAt = nowMs();
      for (const { key, held } of changes) {
        if (key.kind === 'name' && held !== undefined) names.set(held.value as string, key.sandbox);
        if (key.kind === 'member' && held !== undefined) {
          const { appPort } = held.value as { readonly appPort: number };
          if (!members.has(key.memberId)) members.set(key.memberId, { memberId: key.memberId, seenAt, appPort });
        }
        if (key.kind !== 'owner') continue;
        const owner = held?.value as
          | {
              readonly kind: OwnerMove['kind'];
              readonly epoch: bigint;
              readonly by?: string;
              readonly to?: string;
              readonly from?: string;
            }
          | undefined;
        if (owner === undefined) {
          const epoch = last.get(key.sandboxId);
          const id = `${key.sandboxId} deleted`;
          if (epoch !== undefined && !moves.has(id)) moves.set(id, { sandbox: key.sandboxId, seenAt, kind: 'deleted', epoch });
          continue;
        }
        last.set(key.sandboxId, owner.epoch);
        const memberId = owner.by ?? owner.to ?? owner.from;
        const move = { sandbox: key.sandboxId as string, seenAt, kind: owner.kind, epoch: owner.epoch };
        const id = `${key.sandboxId} ${owner.epoch} ${owner.kind}`;
        if (!moves.has(id)) moves.set(id, memberId === undefined ? move : { ...move, memberId });
      }
    });
    await view.ready;
    closing.push(
      () => view.close(),
      () => store.close(),
    );
  }
  return {
    get moves() {
      return [...moves.values()].map((move) => ({ ...move, sandbox: names.get(move.sandbox) ?? move.sandbox }));
    },
    get members() {
      return [...members.values()];
    },
    nameOf: (sandboxId) => names.get(sandboxId),
    async close() {
      for (const act of closing) await act();
      clock.stop();
    },
  };
}
