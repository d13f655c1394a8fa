import { createWorld, type RecordChange, type World } from '@sallyport/authority';
import { type Instant, LONG_AGO } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { isHeard, judgeEligible } from './eligibility.ts';
import { createEvidence, ECHOES_MAX, type Evidence } from './evidence.ts';
import { snapshotOf } from './snapshot.ts';

const plain = (value: unknown): never => value as never;
const at = (ms: number): Instant => ms as Instant;
const held = (value: unknown, modRevision: bigint, createRevision = modRevision) => ({ value, modRevision, createRevision });
const sandboxId = plain('sb1');
const everything = (): boolean => true;

const renewal = { sessionId: 's1', reportSequence: 1, remainingMs: 14_000, gatewayId: 'g1', gatewayEpoch: 9n, asOf: 20n };
const installation = {
  sandbox: 'demo',
  routes: [
    { service: 'web', host: 'team--demo--web.apps.test', port: 80 },
    { service: '', host: 'team--demo.apps.test', port: 81 },
  ],
  endpoint: { address: '10.0.0.7', port: 8443, podUid: 'pod' },
  fence: { generation: 'gen', owner: 11n, session: 12n, sandbox: 13n, config: 14n, credential: 15n, memberCreated: 16n },
  memberId: 'm1',
  ownerEpoch: 5n,
  configRevision: 3n,
  renewal,
};
const change = (kind: string, ids: object, value: unknown): RecordChange => plain({ key: { kind, ...ids }, held: value });
const whole: RecordChange[] = [
  change('generation', {}, held('gen', 1n)),
  change(
    'sandbox',
    { sandboxId },
    held({ workspace: 'team', sandbox: 'demo', mode: 'shared', poolId: 'p1', runtimeId: 'r1' }, 13n),
  ),
  change('name', { workspace: 'team', sandbox: 'demo' }, held('sb1', 13n)),
  change('owner', { sandboxId }, held({ kind: 'owned', epoch: 5n, by: 'm1' }, 11n)),
  change(
    'session',
    { sandboxId, memberId: 'm1' },
    held({ gatewayId: 'g1', gatewayEpoch: 9n, sessionId: 's1', runtimeId: 'r1', credentialEpoch: 1n }, 12n),
  ),
  change('config', { sandboxId }, held({}, 14n)),
  change('credential', { sandboxId }, held(1n, 15n)),
  change('member', { poolId: 'p1', memberId: 'm1' }, held({}, 40n, 16n)),
  change('installation', { workspace: 'team', sandboxId }, held(installation, 30n)),
];

function worldOf(...changes: RecordChange[]): World {
  const world = createWorld();
  world.apply([...whole, ...changes], plain(50n));
  return world;
}

/** Published as of 20, with an echo of revision 19 sent at 1 s: counts until 15 s. */
function fresh(): Evidence {
  const evidence = createEvidence();
  evidence.echoed(plain(19n), at(1_000));
  evidence.published(plain(installation));
  return evidence;
}
const outcome = (world: World, evidence = fresh(), now = at(2_000)): string => {
  const judged = judgeEligible(world, evidence, sandboxId, now);
  return judged.ok ? 'shown' : judged.error;
};

describe('a record counts', () => {
  test('when everything stands', () => expect(outcome(worldOf())).toBe('shown'));
  test('while its member drains, which moves the member', () => {
    expect(outcome(worldOf(change('member', { poolId: 'p1', memberId: 'm1' }, held({ draining: true }, 99n, 16n))))).toBe(
      'shown',
    );
  });

  const rows: [title: string, moved: RecordChange, want: string][] = [
    ['nothing is installed', change('installation', { workspace: 'team', sandboxId }, undefined), 'installation'],
    ['the store was restored', change('generation', {}, held('other', 1n)), 'generation'],
    ['the sandbox is gone', change('sandbox', { sandboxId }, undefined), 'sandbox'],
    ['the sandbox has moved', change('sandbox', { sandboxId }, held(whole[1]?.held?.value, 60n)), 'sandbox'],
    ['the owner was released', change('owner', { sandboxId }, held({ kind: 'released', epoch: 6n }, 60n)), 'owner'],
    ['it is offered', change('owner', { sandboxId }, held({ kind: 'offered', epoch: 6n, to: 'm1' }, 60n)), 'owner'],
    [
      'it is being fenced',
      change('owner', { sandboxId }, held({ kind: 'fencing', epoch: 6n, from: 'm1', ownedEpoch: 5n }, 60n)),
      'owner',
    ],
    ['another owns it', change('owner', { sandboxId }, held({ kind: 'owned', epoch: 6n, by: 'm2' }, 60n)), 'owner'],
    [
      'the same owns it under another epoch',
      change('owner', { sandboxId }, held({ kind: 'owned', epoch: 6n, by: 'm1' }, 60n)),
      'owner',
    ],
    ['the session is gone', change('session', { sandboxId, memberId: 'm1' }, undefined), 'session'],
    [
      'the member has another session',
      change('session', { sandboxId, memberId: 'm1' }, held({ sessionId: 's2', gatewayId: 'g1', gatewayEpoch: 9n }, 60n)),
      'session',
    ],
    ['the configuration is another', change('config', { sandboxId }, held({}, 60n)), 'configuration'],
    [
      'its owner is not who was judged',
      change('owner', { sandboxId }, held({ kind: 'owned', epoch: 5n, by: 'm2' }, 11n)),
      'owner',
    ],
    [
      'its session is not the one that it was published for',
      change('session', { sandboxId, memberId: 'm1' }, held({ sessionId: 's2', gatewayId: 'g1', gatewayEpoch: 9n }, 12n)),
      'session',
    ],
    ['the credential was revoked', change('credential', { sandboxId }, held(2n, 60n)), 'credential'],
    ['the member has left', change('member', { poolId: 'p1', memberId: 'm1' }, undefined), 'member'],
    ['the member has joined anew', change('member', { poolId: 'p1', memberId: 'm1' }, held({}, 60n, 60n)), 'member'],
  ];
  test.each(rows)('not when %s', (_title, moved, want) => expect(outcome(worldOf(moved))).toBe(want));
});

describe('how long evidence counts', () => {
  const vector = (change: object = {}) =>
    plain({ gatewayEpoch: 9n, asOf: 30n, renewals: [{ sessionId: 's1', reportSequence: 2, remainingMs: 14_000 }], ...change });
  const echoes = (...pairs: [bigint, number][]): Evidence => {
    const evidence = createEvidence();
    for (const [revision, sentAt] of pairs) evidence.echoed(plain(revision), at(sentAt));
    return evidence;
  };
  const session = plain({ gatewayId: 'g1', gatewayEpoch: 9n, sessionId: 's1' });

  const rows: [title: string, evidence: Evidence, tell: (evidence: Evidence) => void, want: number][] = [
    [
      'from the newest echo at or below its asOf',
      echoes([10n, 1_000], [30n, 2_000], [31n, 3_000]),
      (e) => e.renewed(plain('g1'), vector()),
      16_000,
    ],
    [
      'from an older one, if its gateway lags',
      echoes([10n, 1_000], [31n, 3_000]),
      (e) => e.renewed(plain('g1'), vector()),
      15_000,
    ],
    ['not at all before the first echo', echoes([31n, 3_000]), (e) => e.renewed(plain('g1'), vector()), LONG_AGO],
    ['not at all without an echo', echoes(), (e) => e.renewed(plain('g1'), vector()), LONG_AGO],
    [
      'not for another life of the gateway',
      echoes([10n, 1_000]),
      (e) => e.renewed(plain('g1'), vector({ gatewayEpoch: 8n })),
      LONG_AGO,
    ],
    ['not for another gateway', echoes([10n, 1_000]), (e) => e.renewed(plain('g2'), vector()), LONG_AGO],
    [
      'not for another session',
      echoes([10n, 1_000]),
      (e) => e.renewed(plain('g1'), vector({ renewals: [{ sessionId: 's2', reportSequence: 2, remainingMs: 14_000 }] })),
      LONG_AGO,
    ],
    ['as told by a publication', echoes([19n, 1_000]), (e) => e.published(plain(installation)), 15_000],
    [
      'by the longest that was told',
      echoes([10n, 1_000]),
      (e) => {
        e.renewed(plain('g1'), vector());
        e.renewed(plain('g1'), vector({ renewals: [{ sessionId: 's1', reportSequence: 3, remainingMs: 2_000 }] }));
      },
      15_000,
    ],
    [
      'until it is pruned',
      echoes([10n, 1_000]),
      (e) => {
        e.renewed(plain('g1'), vector());
        e.prune(at(15_000));
      },
      LONG_AGO,
    ],
  ];
  test.each(rows)('%s', (_title, evidence, tell, want) => {
    tell(evidence);
    expect(evidence.until(session)).toBe(want);
  });

  test('pruning leaves what still counts', () => {
    const evidence = fresh();
    evidence.prune(at(14_999));
    expect(evidence.until(session)).toBe(15_000);
  });

  test('only so many echoes are kept', () => {
    const evidence = echoes(
      ...Array.from({ length: ECHOES_MAX + 1 }, (_, index): [bigint, number] => [BigInt(index + 1), index]),
    );
    evidence.renewed(plain('g1'), vector({ asOf: 1n }));
    expect(evidence.until(session)).toBe(LONG_AGO);
  });
});

describe('the margin of readers', () => {
  test.each([
    [12_999, 'shown'],
    [13_000, 'renewal'],
    [15_000, 'renewal'],
  ])('at %d ms', (now, want) => expect(outcome(worldOf(), fresh(), at(now))).toBe(want));
  test('evidence of nobody shows nothing', () => expect(outcome(worldOf(), createEvidence())).toBe('renewal'));
});

describe('the snapshot', () => {
  test('has one record for each route', () => {
    const records = snapshotOf(worldOf(), fresh(), at(2_000), everything);
    expect(records.map(({ recordId, host }) => [recordId, host])).toEqual([
      ['sb1/web', 'team--demo--web.apps.test'],
      ['sb1/', 'team--demo.apps.test'],
    ]);
    expect(records[0]).toMatchObject({
      workspace: 'team',
      sandbox: 'demo',
      service: 'web',
      until: 13_000,
      renewedBy: 'g1.9',
      ownerEpoch: 5n,
      configRevision: 3n,
    });
  });
  test('has nothing of a workspace that is not seen', () => {
    expect(snapshotOf(worldOf(), fresh(), at(2_000), (workspace) => workspace !== 'team')).toEqual([]);
  });
  test('has nothing that has run out', () => expect(snapshotOf(worldOf(), fresh(), at(14_000), everything)).toEqual([]));
});

describe('a replica that has just begun has heard of everything', () => {
  test('not before its first echo', () => expect(isHeard(createWorld(), createEvidence())).toBe(false));
  test('not while a standing installation awaits its renewal', () => {
    const evidence = createEvidence();
    evidence.echoed(plain(100n), at(0));
    expect(isHeard(worldOf(), evidence)).toBe(false);
    evidence.renewed(
      plain('g1'),
      plain({ gatewayEpoch: 9n, asOf: 101n, renewals: [{ sessionId: 's1', reportSequence: 2, remainingMs: 1 }] }),
    );
    expect(isHeard(worldOf(), evidence)).toBe(true);
  });
  test('at once where nothing stands', () => {
    const evidence = createEvidence();
    evidence.echoed(plain(100n), at(0));
    expect(isHeard(createWorld(), evidence)).toBe(true);
    expect(isHeard(worldOf(change('owner', { sandboxId }, undefined)), evidence)).toBe(true);
  });
});
