import type { BoundaryClaims, FenceOrder } from '@sallyport/authority';
import { createScene, epoch, runtime, SANDBOX, type Scene, service } from '@sallyport/authority/testing';
import { err, type Nonce, ok } from '@sallyport/model';
import { createLog } from '@sallyport/process';
import type { AskedFence, ServingLease } from '@sallyport/session';
import { describe, expect, test } from 'vitest';
import { type BoundaryAuthority, createBoundaries } from './boundaries.ts';

const nonce = 'n1' as Nonce;
const lease: ServingLease = {
  kind: 'serving-lease',
  ackOfReport: 1,
  ownerEpoch: epoch(7),
  ttlMs: 15_000,
  boundaryToken: undefined,
};
const fence: AskedFence = { epoch: epoch(8), runtimeId: runtime('r0'), nonce };

function create(change: (scene: Scene) => void = () => undefined, without = false) {
  const scene = createScene();
  change(scene);
  const signed: (BoundaryClaims | FenceOrder)[] = [];
  const confirmed: unknown[] = [];
  const authority: BoundaryAuthority = {
    async token(claims) {
      signed.push(claims);
      return 'token';
    },
    async fence(order) {
      signed.push(order);
      return 'fence';
    },
    believes: async (answer) => (Buffer.from(answer).toString() === 'good' ? ok(undefined) : err('it is not believed')),
  };
  const boundaries = createBoundaries({
    world: scene.world,
    authority: without ? undefined : authority,
    onConfirmed: (...what) => confirmed.push(what),
    log: createLog({ level: 'silent' }),
  });
  return { scene, boundaries, signed, confirmed, session: scene.session('m0', 's0') };
}

describe('a lease', () => {
  test('brings a token for the owner that was judged, with the ports that are declared', async () => {
    const given = create((scene) => scene.config(2n, [service('web', 8080), service('api', 8080), service('db', 5432)]));
    expect(await given.boundaries.lease(given.session, lease, nonce)).toEqual({ ...lease, boundaryToken: 'token' });
    expect(given.signed).toEqual([
      {
        sandboxId: SANDBOX,
        generation: 'gen-1',
        runtimeId: 'r0',
        ownerEpoch: 7n,
        memberId: 'm0',
        nonce,
        mode: 'shared',
        ports: [8080, 5432],
      },
    ]);
  });
  test('goes without one where nothing signs', async () => {
    const given = create(undefined, true);
    expect(await given.boundaries.lease(given.session, lease, nonce)).toEqual(lease);
  });
  test('goes without one for a sandbox that has just been deleted', async () => {
    const given = create();
    given.scene.remove({ kind: 'sandbox', sandboxId: SANDBOX });
    expect(await given.boundaries.lease(given.session, lease, nonce)).toEqual(lease);
    expect(given.signed).toEqual([]);
  });
});

describe('a fence', () => {
  test('is signed for the runtime that was served, whatever runs now', async () => {
    const given = create((scene) => scene.sandbox({ runtimeId: runtime('r9') }));
    expect(await given.boundaries.fence(given.session, fence)).toEqual({ kind: 'fence', token: 'fence' });
    expect(given.signed).toEqual([{ sandboxId: SANDBOX, generation: 'gen-1', runtimeId: 'r0', epoch: 8n, nonce }]);
  });
  test('is confirmed by an answer that is believed', async () => {
    const given = create();
    await given.boundaries.answered(given.session, fence, Buffer.from('good'));
    expect(given.confirmed).toEqual([[SANDBOX, 8n]]);
  });
  test('T17: is not confirmed by any other', async () => {
    const given = create();
    await given.boundaries.answered(given.session, fence, Buffer.from('from another life of the workload'));
    expect(given.confirmed).toEqual([]);
  });
  test('is neither given nor confirmed where nothing signs', async () => {
    const given = create(undefined, true);
    expect(await given.boundaries.fence(given.session, fence)).toBeUndefined();
    await given.boundaries.answered(given.session, fence, Buffer.from('good'));
    expect(given.confirmed).toEqual([]);
  });
});
