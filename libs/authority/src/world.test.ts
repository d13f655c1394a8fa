import type { CredentialEpoch, PoolId, SandboxName, StoreRevision, WorkspaceId } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { createScene, gateway, member, owned, POOL, SANDBOX, sessionId } from './testing/index.ts';
import { createWorld, nameKey, type RecordChange } from './world.ts';

const revision = (value: bigint): StoreRevision => value as StoreRevision;
const held = <T>(value: T, at: bigint) => ({ value, createRevision: revision(at), modRevision: revision(at) });

describe('a world', () => {
  test('begins empty, at no revision', () => {
    const world = createWorld();
    expect(world.revision).toBe(0n);
    expect(world.generation).toBeUndefined();
    expect([...world.pools()]).toEqual([]);
    expect(world.sessionsOf(SANDBOX).size).toBe(0);
    expect(world.members(POOL).size).toBe(0);
    expect(world.renewals(gateway('g0')).size).toBe(0);
  });

  test('moves only by what is applied, and shows the revision that it was applied at', () => {
    const world = createWorld();
    world.apply([], revision(4n));
    expect(world.revision).toBe(4n);
    const changes: RecordChange[] = [
      { key: { kind: 'credential', sandboxId: SANDBOX }, held: held(3n as CredentialEpoch, 5n) },
      { key: { kind: 'owner', sandboxId: SANDBOX }, held: held(owned('m0', 7), 5n) },
    ];
    world.apply(changes, revision(5n));
    expect(world.credentials.get(SANDBOX)?.value).toBe(3n);
    expect(world.owners.get(SANDBOX)).toEqual(held(owned('m0', 7), 5n));
    world.apply([{ key: { kind: 'owner', sandboxId: SANDBOX }, held: undefined }], revision(6n));
    expect(world.owners.has(SANDBOX)).toBe(false);
    expect(world.revision).toBe(6n);
  });

  test('keeps a session of each member: a successor’s is its own record (T19)', () => {
    const { world, session, remove } = createScene();
    session('m1', 's1');
    expect(world.session(SANDBOX, member('m0'))?.value.sessionId).toBe('s0');
    expect(world.session(SANDBOX, member('m1'))?.value.sessionId).toBe('s1');
    remove({ kind: 'session', sandboxId: SANDBOX, memberId: member('m0') });
    expect([...world.sessionsOf(SANDBOX).keys()]).toEqual(['m1']);
  });

  test('forgets what is empty: pools without members, sandboxes without sessions', () => {
    const { world, leave, remove } = createScene();
    leave('m0');
    expect([...world.pools()]).toEqual([POOL]);
    leave('m1');
    expect([...world.pools()]).toEqual([]);
    remove({ kind: 'session', sandboxId: SANDBOX, memberId: member('m0') });
    expect(world.sessionsOf(SANDBOX).size).toBe(0);
  });

  test('finds the sandboxes of a pool, also after one has moved to another or was deleted', () => {
    const { world, sandbox, remove } = createScene();
    expect([...world.sandboxesOf(POOL)]).toEqual([SANDBOX]);
    const other = 'pool-2' as PoolId;
    sandbox({ poolId: other });
    expect(world.sandboxesOf(POOL).size).toBe(0);
    expect([...world.sandboxesOf(other)]).toEqual([SANDBOX]);
    remove({ kind: 'sandbox', sandboxId: SANDBOX });
    expect(world.sandboxesOf(other).size).toBe(0);
  });

  test('keeps renewals by gateway and bucket, names by workspace and sandbox, grants by principal', () => {
    const world = createWorld();
    const vector = {
      gatewayEpoch: 1n as never,
      asOf: revision(1n),
      renewals: [{ sessionId: sessionId('s0'), reportSequence: 1, remainingMs: 9 }],
    };
    const [workspace, sandbox] = ['team' as WorkspaceId, 'demo' as SandboxName];
    world.apply(
      [
        { key: { kind: 'renewal', gatewayId: gateway('g0'), bucket: 0 }, held: held(vector, 2n) },
        { key: { kind: 'renewal', gatewayId: gateway('g0'), bucket: 1 }, held: held(vector, 2n) },
        { key: { kind: 'name', workspace, sandbox }, held: held(SANDBOX, 2n) },
        { key: { kind: 'grant', principal: 'edge' }, held: held({ workspaces: [workspace], grantEpoch: 1n }, 2n) },
        { key: { kind: 'reader', discoveryId: 'd0' }, held: held(1, 2n) },
      ],
      revision(2n),
    );
    expect([...world.renewals(gateway('g0')).keys()]).toEqual([0, 1]);
    expect(world.renewals(gateway('g1')).size).toBe(0);
    expect(world.names.get(nameKey(workspace, sandbox))?.value).toBe(SANDBOX);
    expect(world.grants.get('edge')?.value.workspaces).toEqual([workspace]);
  });
});
