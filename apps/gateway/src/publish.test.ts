import { type Endpoint, type Installation, type Judgement, judgeReport } from '@sallyport/authority';
import { at, epoch, gateway, member, runtime, SANDBOX, type Scene, sessionId } from '@sallyport/authority/testing';
import { err, type Failure, failure, type GatewayEpoch, ok, type Result, type StoreRevision } from '@sallyport/model';
import { createManualClock } from '@sallyport/process/manual-clock';
import type { Evidence } from '@sallyport/session';
import { decodeInstallation } from '@sallyport/wire';
import { describe, expect, test } from 'vitest';
import type { Membership } from './membership.ts';
import { createPublisher } from './publish.ts';
import { compared, recordWrites, short } from './testing/recorded-writes.ts';

const ENDPOINT: Endpoint = { address: '10.0.0.1', port: 8443, podUid: 'uid-m0' };
const NO_POD = err(failure('unknown', 'no Pod'));
const CHALLENGED_AT = 1_000;
const NOW = 4_000;

function open() {
  const stage = recordWrites();
  const { scene, writer } = stage;
  const { world } = scene;
  const says: { endpoint: Result<Endpoint, Failure>; authority: boolean } = { endpoint: ok(ENDPOINT), authority: true };
  const membership = {
    current: () => (says.authority ? { gatewayId: gateway('g0'), epoch: 3n as GatewayEpoch } : undefined),
  } as Membership;
  const clock = createManualClock(NOW);
  const publisher = createPublisher({ world, writer, membership, clock, resolve: async () => says.endpoint });
  const session = scene.session('m0', 's0');
  const report = scene.report();
  const judged = judgeReport(world, session, report);
  if (!judged.ok) throw new Error(`a good report was refused: ${judged.error}`);
  const evidence: Evidence = { report, sequence: 5, challengeSentAt: at(CHALLENGED_AT), boundaryNonce: undefined };
  return { ...stage, stage, publisher, session, judgement: judged.value, evidence, says };
}

const judgedGuards = ({ fence }: Judgement): readonly string[] => [
  `config/sb unmoved-since ${fence.config}`,
  `credential/sb unmoved-since ${fence.credential}`,
  `member/pool/m0 created-at ${fence.memberCreated}`,
  `owner/sb unmoved-since ${fence.owner}`,
  `sandbox/sb unmoved-since ${fence.sandbox}`,
  `session/sb/m0 unmoved-since ${fence.session}`,
];

/** Puts on record what the last write would have. */
function show(scene: Scene, value: Installation): StoreRevision {
  const revision = (scene.world.revision + 1n) as StoreRevision;
  const key = { kind: 'installation', workspace: 'team', sandboxId: SANDBOX } as never;
  scene.world.apply([{ key, held: { value, createRevision: revision, modRevision: revision } }], revision);
  return revision;
}

function written(writings: ReturnType<typeof open>['writings']): Installation {
  const [put] = writings.at(-1)?.puts ?? [];
  const read = put === undefined ? undefined : decodeInstallation(put.value('op'));
  if (read === undefined) throw new Error('nothing was written');
  return read as never;
}

describe('a publication', () => {
  test('compares every revision that was judged, and that nobody published meanwhile', async () => {
    const { publisher, session, judgement, evidence, writings } = open();
    expect(await publisher.publish(session, judgement, evidence)).toEqual({ kind: 'committed' });
    expect(writings.map(compared)).toEqual([['installation/team/sb absent', ...judgedGuards(judgement)].sort()]);
  });

  test('compares them as they were judged, not as they are when it is written (T3)', async () => {
    const { scene, publisher, session, judgement, evidence, writings } = open();
    const wanted = ['installation/team/sb absent', ...judgedGuards(judgement)].sort();
    const under = publisher.publish(session, judgement, evidence);
    scene.config(2n);
    scene.credential(2n);
    scene.sandbox({ runtimeId: runtime('r1') });
    scene.session('m0', 's9');
    scene.owner({ kind: 'owned', epoch: epoch(9), by: member('m1') });
    scene.leave('m0');
    scene.member('m0');
    await under;
    expect(writings.map(compared)).toEqual([wanted]);
  });

  test('of a record that is there compares it', async () => {
    const { scene, publisher, session, judgement, evidence, writings } = open();
    await publisher.publish(session, judgement, evidence);
    const revision = show(scene, { ...recorded(judgement, evidence), routes: [] });
    await publisher.publish(session, judgement, evidence);
    expect(compared(writings[1] as never)).toContain(`installation/team/sb unmoved-since ${revision}`);
  });

  test('counts what is left of the report from the sending of its challenge', async () => {
    const { publisher, session, judgement, evidence, writings } = open();
    await publisher.publish(session, judgement, evidence);
    expect(JSON.stringify(written(writings), bigints)).toContain(`"remainingMs":${15_000 - (NOW - CHALLENGED_AT)}`);
  });

  const same: [title: string, change: (shown: Installation) => Installation, want: 'stands' | 'committed'][] = [
    ['stands when it says the same', (shown) => shown, 'stands'],
    [
      'stands whatever its renewal was',
      (shown) => ({ ...shown, renewal: { ...shown.renewal, reportSequence: 1, sessionId: sessionId('s9') } }),
      'stands',
    ],
    [
      'is written when another revision was judged',
      (shown) => ({ ...shown, fence: { ...shown.fence, credential: 1_000n as StoreRevision } }),
      'committed',
    ],
    ['when its address is another', (shown) => ({ ...shown, endpoint: { ...ENDPOINT, address: '10.0.0.2' } }), 'committed'],
    ['when its port is another', (shown) => ({ ...shown, endpoint: { ...ENDPOINT, port: 9443 } }), 'committed'],
    ['when its Pod is another', (shown) => ({ ...shown, endpoint: { ...ENDPOINT, podUid: 'uid-m9' } }), 'committed'],
    ['when there are more routes', (shown) => ({ ...shown, routes: [...shown.routes, ...shown.routes] }), 'committed'],
  ];
  test.each(same)('%s', async (_title, change, want) => {
    const { scene, publisher, session, judgement, evidence } = open();
    show(scene, change(recorded(judgement, evidence)));
    expect(await publisher.publish(session, judgement, evidence)).toEqual({ kind: want });
  });

  test('whose endpoint the driver no longer names is taken back, and is what it compares', async () => {
    const { scene, publisher, session, judgement, evidence, says, writings } = open();
    const revision = show(scene, recorded(judgement, evidence));
    says.endpoint = NO_POD;
    expect(await publisher.publish(session, judgement, evidence)).toEqual({ kind: 'withheld', why: 'no Pod' });
    expect(writings.map((writing) => [compared(writing), writing.puts, writing.deletes?.map(short)])).toEqual([
      [[`installation/team/sb unmoved-since ${revision}`], [], ['installation/team/sb']],
    ]);
  });

  const withheld: [title: string, change: (opened: ReturnType<typeof open>) => void, why: string][] = [
    ['without an endpoint', ({ says }) => void Object.assign(says, { endpoint: NO_POD }), 'no Pod'],
    [
      'of another session, that one’s record stays',
      ({ scene, says, judgement, evidence }) => {
        const shown = recorded(judgement, evidence);
        show(scene, { ...shown, renewal: { ...shown.renewal, sessionId: sessionId('s9') } });
        says.endpoint = NO_POD;
      },
      'no Pod',
    ],
    ['by a gateway without authority', ({ says }) => void Object.assign(says, { authority: false }), 'authority has moved'],
    [
      'of a sandbox that is gone',
      ({ scene }) => void scene.remove({ kind: 'sandbox', sandboxId: SANDBOX }),
      'the sandbox is gone',
    ],
  ];
  test.each(withheld)('%s: nothing is written', async (_title, change, why) => {
    const opened = open();
    change(opened);
    const { publisher, session, judgement, evidence, writings } = opened;
    expect(await publisher.publish(session, judgement, evidence)).toEqual({ kind: 'withheld', why });
    expect(writings).toEqual([]);
  });

  test('that the store refused is withheld', async () => {
    const { stage, publisher, session, judgement, evidence } = open();
    stage.outcome = { kind: 'refused', revision: 100n as StoreRevision, failed: ['owner'] };
    expect(await publisher.publish(session, judgement, evidence)).toEqual({ kind: 'withheld', why: 'moved meanwhile: owner' });
    stage.outcome = { kind: 'unknown', message: 'no answer' };
    expect(await publisher.publish(session, judgement, evidence)).toEqual({ kind: 'withheld', why: 'unknown' });
  });
});

describe('a preparation', () => {
  test('compares what was judged, under the epoch that it would follow', async () => {
    const { publisher, session, judgement, evidence, writings } = open();
    expect(await publisher.prepare(session, judgement, evidence)).toEqual({ kind: 'committed' });
    expect(writings.map(compared)).toEqual([['successor/sb absent', ...judgedGuards(judgement)].sort()]);
  });

  const rows: [title: string, change: (shown: Installation) => Installation, want: 'stands' | 'committed'][] = [
    ['stands when it says the same', (shown) => shown, 'stands'],
    ['is written when its port is another', (shown) => ({ ...shown, endpoint: { ...ENDPOINT, port: 9443 } }), 'committed'],
  ];
  test.each(rows)('%s', async (_title, change, want) => {
    const { scene, publisher, session, judgement, evidence, writings } = open();
    scene.successor({ follows: epoch(7), installation: change(recorded(judgement, evidence)) });
    expect(await publisher.prepare(session, judgement, evidence)).toEqual({ kind: want });
    if (want === 'committed')
      expect(compared(writings[0] as never)).toContain(
        `successor/sb unmoved-since ${scene.world.successors.get(SANDBOX)?.modRevision}`,
      );
  });

  test('is withheld without an endpoint, and in a sandbox without an owner record', async () => {
    const { scene, publisher, session, judgement, evidence, says, writings } = open();
    says.endpoint = NO_POD;
    await expect(publisher.prepare(session, judgement, evidence)).resolves.toEqual({ kind: 'withheld', why: 'no Pod' });
    says.endpoint = ok(ENDPOINT);
    scene.remove({ kind: 'owner', sandboxId: SANDBOX });
    expect(await publisher.prepare(session, judgement, evidence)).toEqual({ kind: 'withheld', why: 'the sandbox is gone' });
    expect(writings).toEqual([]);
  });
});

const bigints = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

/** What a publication of this would have put on record. */
function recorded({ fence }: Judgement, { report, sequence }: Evidence): Installation {
  return {
    sandbox: 'demo' as never,
    routes: report.routes,
    endpoint: ENDPOINT,
    fence,
    memberId: member('m0'),
    ownerEpoch: report.ownerEpoch,
    configRevision: report.configRevision,
    renewal: {
      sessionId: sessionId('s0'),
      reportSequence: sequence,
      remainingMs: 12_000,
      gatewayId: gateway('g0'),
      gatewayEpoch: 3n as GatewayEpoch,
      asOf: 1n as StoreRevision,
    },
  };
}
