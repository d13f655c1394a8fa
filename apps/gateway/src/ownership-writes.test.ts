import type { FenceTuple, Held, Installation, Move, Ownership, ReportingSession, Successor } from '@sallyport/authority';
import {
  epoch,
  fencing,
  gateway,
  member,
  offered,
  owned,
  POOL,
  released,
  SANDBOX,
  type Scene,
  sessionId,
} from '@sallyport/authority/testing';
import type { ConfigRevision, GatewayEpoch, SandboxName, StoreRevision } from '@sallyport/model';
import { createLog } from '@sallyport/process';
import { type Capabilities, type ConfigurationAnswer, startGatewayEnd } from '@sallyport/session';
import { describe, expect, test } from 'vitest';
import { createOwnershipWrites } from './ownership-writes.ts';
import { compared, recordWrites, short } from './testing/recorded-writes.ts';

const CAPABILITIES: Capabilities = { advertisements: true, push: true };

function open() {
  const stage = recordWrites();
  const { scene, writer } = stage;
  const { world } = scene;
  const log = createLog({ level: 'silent' });
  const writes = createOwnershipWrites({ world, writer, log, unixMs: () => 0, onWritten: undefined });
  const session: ReportingSession = {
    sandboxId: SANDBOX,
    memberId: member('m0'),
    sessionId: sessionId('s0'),
    credentialEpoch: world.credentials.get(SANDBOX)?.value as never,
  };
  return { ...stage, stage, writes, session, end: startGatewayEnd(session, CAPABILITIES) };
}

const answerOf = (scene: Scene, ownerEpoch: number): ConfigurationAnswer => ({
  revision: scene.world.configs.get(SANDBOX)?.value.revision as ConfigRevision,
  hash: scene.world.configs.get(SANDBOX)?.value.hash ?? '',
  ownerEpoch: epoch(ownerEpoch),
  rejection: undefined,
});

/** m1 has installed and reported what is declared, beside m0, which drains. */
function prepare(scene: Scene): void {
  scene.member('m0', { draining: true });
  scene.session('m1', 's1');
  const { world } = scene;
  const at = (held: { readonly modRevision: StoreRevision } | undefined): StoreRevision => held?.modRevision as StoreRevision;
  const fence: FenceTuple = {
    generation: world.generation?.value as never,
    owner: at(world.owners.get(SANDBOX)),
    session: at(world.session(SANDBOX, member('m1'))),
    sandbox: at(world.sandboxes.get(SANDBOX)),
    config: at(world.configs.get(SANDBOX)),
    credential: at(world.credentials.get(SANDBOX)),
    memberCreated: world.members(POOL).get(member('m1'))?.createRevision as StoreRevision,
  };
  scene.successor({ follows: epoch(7), installation: installationOf('m1', fence) });
}

const installationOf = (by: string, fence: FenceTuple): Installation => ({
  sandbox: 'demo' as SandboxName,
  routes: [],
  endpoint: { address: '10.0.0.1', port: 8443, podUid: 'uid-m1' },
  fence,
  memberId: member(by),
  ownerEpoch: epoch(7),
  configRevision: 1n as ConfigRevision,
  renewal: {
    sessionId: sessionId('s1'),
    reportSequence: 1,
    remainingMs: 10_000,
    gatewayId: gateway('g0'),
    gatewayEpoch: 1n as GatewayEpoch,
    asOf: 1n as StoreRevision,
  },
});

describe('an acknowledgement', () => {
  const rows: [title: string, from: Ownership, epoch: number][] = [
    ['takes an offer', offered('m0', 8), 8],
    ['takes a fence back, by the same member', fencing('m0', 8, 7), 8],
  ];
  test.each(rows)('%s: it compares owner, session and configuration', async (_title, from, named) => {
    const { scene, writes, end, writings } = open();
    scene.owner(from);
    await writes.acknowledge(end, answerOf(scene, named));
    const { world } = scene;
    expect(writings.map(compared)).toEqual([
      [
        `config/sb unmoved-since ${world.configs.get(SANDBOX)?.modRevision}`,
        `owner/sb unmoved-since ${world.owners.get(SANDBOX)?.modRevision}`,
        `session/sb/m0 unmoved-since ${world.session(SANDBOX, member('m0'))?.modRevision}`,
      ],
    ]);
  });

  const refused: [title: string, change: (scene: Scene) => Partial<ConfigurationAnswer> | undefined][] = [
    ['of another tenure', () => ({ ownerEpoch: epoch(7) })],
    ['of what is offered to another', (scene) => void scene.owner(offered('m1', 8))],
    ['of what is owned already', (scene) => void scene.owner(owned('m0', 8))],
    ['by a session whose place another has taken', (scene) => void scene.session('m0', 's9')],
    ['of another revision, though its content is the same', () => ({ revision: 0n as ConfigRevision })],
    ['of another content, though its revision is the same', () => ({ hash: 'f'.repeat(64) })],
    ['of a sandbox that has no owner record', (scene) => void scene.remove({ kind: 'owner', sandboxId: SANDBOX })],
    ['of a sandbox without a configuration', (scene) => void scene.remove({ kind: 'config', sandboxId: SANDBOX })],
    [
      'by a session that is not on record',
      (scene) => void scene.remove({ kind: 'session', sandboxId: SANDBOX, memberId: member('m0') }),
    ],
  ];
  test.each(refused)('%s writes nothing', async (_title, change) => {
    const { scene, writes, end, writings } = open();
    scene.owner(offered('m0', 8));
    const said = answerOf(scene, 8);
    await expect(writes.acknowledge(end, { ...said, ...change(scene) })).resolves.toBeUndefined();
    expect(writings).toEqual([]);
  });
});

describe('a release', () => {
  test('with nobody to follow frees the sandbox: it compares the owner', async () => {
    const { scene, writes, end, writings } = open();
    expect(await writes.release(end, epoch(7))).toBe('written');
    expect(writings.map(compared)).toEqual([[`owner/sb unmoved-since ${scene.world.owners.get(SANDBOX)?.modRevision}`]]);
  });

  test.each([false, true])('with a successor hands over in the same write (shown before: %s)', async (isShown) => {
    const { scene, writes, end, writings } = open();
    prepare(scene);
    const { world } = scene;
    const { fence } = (world.successors.get(SANDBOX) as Held<Successor>).value.installation;
    if (isShown) showInstallation(scene, installationOf('m0', fence));
    expect(await writes.release(end, epoch(7))).toBe('written');
    const [writing] = writings;
    expect(writing === undefined ? [] : compared(writing)).toEqual(
      [
        `config/sb unmoved-since ${fence.config}`,
        `credential/sb unmoved-since ${fence.credential}`,
        isShown
          ? `installation/team/sb unmoved-since ${world.installations.get(SANDBOX)?.modRevision}`
          : 'installation/team/sb absent',
        `member/pool/m1 created-at ${fence.memberCreated}`,
        `owner/sb unmoved-since ${fence.owner}`,
        `sandbox/sb unmoved-since ${fence.sandbox}`,
        `session/sb/m1 unmoved-since ${fence.session}`,
        `successor/sb unmoved-since ${world.successors.get(SANDBOX)?.modRevision}`,
      ].sort(),
    );
    expect([writing?.puts.map(({ key }) => short(key)), writing?.deletes?.map(short)]).toEqual([
      ['owner/sb', 'installation/team/sb'],
      ['successor/sb'],
    ]);
  });

  const rows: [title: string, change: (scene: Scene) => void, named: number, want: string][] = [
    ['of a tenure that ended before was written before', (scene) => scene.owner(owned('m1', 9)), 7, 'written'],
    ['of a tenure that was released was written before', (scene) => scene.owner(released(7)), 7, 'written'],
    ['of a tenure that is being fenced was overtaken', (scene) => scene.owner(fencing('m0', 8, 7)), 7, 'written'],
    ['of a tenure that has not begun is not written', () => undefined, 8, 'not-written'],
    [
      'of what is offered meanwhile, under a later epoch, is not written',
      (scene) => scene.owner(offered('m0', 7)),
      8,
      'not-written',
    ],
    ['of what another owns is not written (T6)', (scene) => scene.owner(owned('m1', 7)), 7, 'not-written'],
    ['of a sandbox that is gone needs no write', (scene) => scene.remove({ kind: 'owner', sandboxId: SANDBOX }), 7, 'written'],
  ];
  test.each(rows)('%s', async (_title, change, named, want) => {
    const { scene, writes, end, writings } = open();
    change(scene);
    expect(await writes.release(end, epoch(named))).toBe(want);
    expect(writings).toEqual([]);
  });

  test('by who is not the owner hands nothing over, though a successor is ready', async () => {
    const { scene, writes, session, writings } = open();
    prepare(scene);
    const other = startGatewayEnd({ ...session, memberId: member('m1') }, CAPABILITIES);
    expect(await writes.release(other, epoch(7))).toBe('not-written');
    expect(writings).toEqual([]);
  });

  test('is not written when the store refused it', async () => {
    const { stage, writes, end } = open();
    stage.outcome = { kind: 'refused', revision: 100n as StoreRevision, failed: [] };
    expect(await writes.release(end, epoch(7))).toBe('not-written');
  });
});

describe('a move', () => {
  const rows: [title: string, from: Ownership, to: Ownership, relies: Move['relies'], also: (scene: Scene) => string][] = [
    [
      'an offer compares the member that it is for',
      released(7),
      offered('m1', 8),
      { on: 'member', memberId: member('m1') },
      ({ world }) => `member/pool/m1 unmoved-since ${world.members(POOL).get(member('m1'))?.modRevision}`,
    ],
    [
      'a suspicion compares the session that is suspected (T14)',
      owned('m0', 7),
      fencing('m0', 8, 7),
      { on: 'session', memberId: member('m0') },
      ({ world }) => `session/sb/m0 unmoved-since ${world.session(SANDBOX, member('m0'))?.modRevision}`,
    ],
    [
      'one of a member without a session, that it still has none',
      owned('m1', 7),
      fencing('m1', 8, 7),
      { on: 'session', memberId: member('m1') },
      () => 'session/sb/m1 absent',
    ],
  ];
  test.each(rows)('%s, besides the owner', async (_title, from, to, relies, also) => {
    const { scene, writes, writings } = open();
    scene.owner(from);
    const held = scene.world.owners.get(SANDBOX);
    if (held === undefined) throw new Error('it was put just now');
    expect(await writes.move({ sandboxId: SANDBOX, from: held, to, relies })).toBe('committed');
    expect(writings.map(compared)).toEqual([[also(scene), `owner/sb unmoved-since ${held.modRevision}`].sort()]);
  });
});

function showInstallation(scene: Scene, installation: Installation): void {
  const revision = (scene.world.revision + 1n) as StoreRevision;
  const key = { kind: 'installation', workspace: 'team', sandboxId: SANDBOX } as never;
  scene.world.apply([{ key, held: { value: installation, createRevision: revision, modRevision: revision } }], revision);
}
