import type { RecordChange } from '@sallyport/authority';
import type { WorkspaceId } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { type ClauseName, explainHost } from './explain.ts';
import type { Scope } from './scope.ts';
import { at, createReplica, createScript, plain } from './testing/stage.ts';

const NOW = at(1_000);
const HOST = 'a--a1--web.apps.test';
const team = (...names: string[]): Scope => new Set(names as WorkspaceId[]);

interface Asked {
  readonly host?: string;
  readonly now?: number;
  readonly scope?: Scope;
  readonly reader?: { readonly principal: string; readonly scope: Scope };
}

/** Sandbox a/a1 with its service web, published and well; then whatever the row breaks of it. */
function explain(breaks: (script: ReturnType<typeof createScript>) => RecordChange[], asked: Asked = {}) {
  const script = createScript(() => NOW);
  const replica = createReplica();
  replica.evidence.echoed(plain(1n), NOW);
  replica.take([...script.publish('a1'), gateway('g1', {})], script.revision, NOW);
  replica.take(breaks(script), plain(script.revision + 1n), NOW);
  const { host = HOST, now = 2_000, scope = 'all', reader } = asked;
  return explainHost({ world: replica.world, evidence: replica.evidence, host: plain(host), now: at(now), scope, reader });
}
const record = (key: object, value: unknown, revision = 900n): RecordChange =>
  plain({ key, held: value === undefined ? undefined : { value, modRevision: revision, createRevision: revision } });
const on = (kind: string, value: unknown) => (): RecordChange[] => [record({ kind, sandboxId: 'a1' }, value)];
const gateway = (gatewayId: string, value: unknown) => record({ kind: 'gateway', gatewayId }, value);
const member = (value: unknown, revision?: bigint) => () => [
  record({ kind: 'member', poolId: 'p', memberId: 'm-a1' }, value, revision),
];
const session = (change: object) => () => [
  record(
    { kind: 'session', sandboxId: 'a1', memberId: 'm-a1' },
    { gatewayId: 'g1', gatewayEpoch: 9n, sessionId: 's1', runtimeId: 'r', credentialEpoch: 1n, ...change },
  ),
];
const configuration = (services: object[], revision = 2n) => on('config', { revision, workspace: 'a', sandbox: 'a1', services });
const web = { service: 'web', host: HOST, port: 80 };
const well = (): RecordChange[] => [];

/** Each is staged, and the clause, its cause and the next step are found. */
const rows: [
  title: string,
  breaks: Parameters<typeof explain>[0],
  clause: ClauseName,
  detail: RegExp,
  nextStep: RegExp,
  asked?: Asked,
][] = [
  ['a host that is none of ours', well, 'name', /not of the form/, /service list/, { host: 'www.example.com' }],
  ['a host of one label', well, 'name', /not of the form/, /service list/, { host: 'localhost' }],
  [
    'the right service under another domain',
    well,
    'name',
    /is a--a1--web\.apps\.test/,
    /use https:\/\/a--a1--web/,
    { host: 'a--a1--web.other.test' },
  ],
  [
    'a sandbox that nobody registered',
    well,
    'sandbox',
    /no sandbox a\/zz is registered/,
    /sandbox register a\/zz/,
    { host: 'a--zz--web.apps.test' },
  ],
  [
    'a workspace that may not be seen',
    well,
    'sandbox',
    /no sandbox a\/a1 is registered, or you may not see it/,
    /ask an admin/,
    { scope: team('b') },
  ],
  [
    'a sandbox that was deleted',
    ({ breaks }) => breaks.sandbox?.('a1') ?? [],
    'sandbox',
    /no sandbox a\/a1 is registered/,
    /register/,
  ],
  [
    'a service that is not declared',
    well,
    'declaration',
    /declares web, not api/,
    /service expose a\/a1\/api=PORT/,
    { host: 'a--a1--api.apps.test' },
  ],
  ['a service that was withdrawn', configuration([]), 'declaration', /declares no service/, /service expose a\/a1\/web=PORT/],
  [
    'a change that is not installed yet',
    configuration([web]),
    'configuration',
    /revision 2 is declared.* revision 1 installed/,
    /service get a\/a1\/web/,
  ],
  [
    'no session at all',
    ({ breaks }) => breaks.session?.('a1') ?? [],
    'session',
    /no supervisor has a session/,
    /a supervisor of pool p runs/,
  ],
  ['a store that was restored', ({ breaks }) => breaks.generation?.('a1') ?? [], 'session', /restored/, /open new ones/],
  [
    'another life of the workload',
    on('sandbox', { workspace: 'a', sandbox: 'a1', poolId: 'p', mode: 'shared', runtimeId: 'r2' }),
    'runtime',
    /another life, r2; the session is about r/,
    /restart the supervisor/,
  ],
  ['revoked credentials', on('credential', 2n), 'credential', /epoch 1, which were revoked/, /wait/],
  [
    'nobody who owns it',
    on('owner', { kind: 'released', epoch: 9n }),
    'owner',
    /no supervisor owns it/,
    /start a supervisor of pool p/,
  ],
  [
    'an offer that is not taken',
    on('owner', { kind: 'offered', epoch: 9n, to: 'm-a1' }),
    'owner',
    /offered to supervisor m-a1/,
    /supervisor's log/,
  ],
  [
    'an owner that was lost',
    on('owner', { kind: 'fencing', epoch: 9n, from: 'm-a1', ownedEpoch: 1n, runtimeId: 'r' }),
    'owner',
    /m-a1 was lost/,
    /17 s if shared/,
  ],
  ['a supervisor that has left its pool', member(undefined), 'member', /no member of pool p/, /sallyport status/],
  ['a supervisor that is not ready', member({ ready: false }), 'member', /not ready/, /readyz/],
  [
    'a supervisor whose listener is off',
    ({ withdraw }) => [...withdraw('a1'), ...member({ ready: true, appPort: 0 })()],
    'endpoint',
    /m-a1 has its listener off/,
    /--app-listen/,
  ],
  [
    'an owner without a listener, and the record of the one before it',
    () => [
      ...on('owner', { kind: 'owned', epoch: 9n, by: 'm-b1' })(),
      record(
        { kind: 'session', sandboxId: 'a1', memberId: 'm-b1' },
        { gatewayId: 'g1', gatewayEpoch: 9n, sessionId: 's2', runtimeId: 'r', credentialEpoch: 1n },
      ),
      record({ kind: 'member', poolId: 'p', memberId: 'm-b1' }, { ready: true, appPort: 0 }),
    ],
    'endpoint',
    /m-b1 has its listener off/,
    /--app-listen/,
  ],
  ['nothing on record', ({ withdraw }) => withdraw('a1'), 'report', /no report of supervisor m-a1/, /service get a\/a1\/web/],
  ['a record of an earlier session', session({ sessionId: 's9' }), 'report', /an earlier session/, /next report/],
  ['a record of an earlier membership', member({ ready: true }, 950n), 'report', /an earlier member/, /next report/],
  [
    'a gateway that is gone',
    () => [gateway('g1', undefined)],
    'renewal',
    /gateway that renewed it is gone/,
    /another/,
    { now: 15_000 },
  ],
  ['evidence that has run out', well, 'renewal', /ran out 1\.0 s ago/, /reaches the store/, { now: 15_000 }],
  [
    'a reader without the grant',
    well,
    'grant',
    /edge-1 may not see a/,
    /grant set edge-1 a/,
    { reader: { principal: 'edge-1', scope: team('b') } },
  ],
];

describe('the cause is found, and the next step is right', () => {
  test.each(rows)('%s', (_title, breaks, clause, detail, nextStep, asked) => {
    const { clauses } = explain(breaks, asked);
    const at = clauses.findIndex(({ state }) => state === 'fails');
    expect(clauses[at]).toEqual({
      name: clause,
      state: 'fails',
      detail: expect.stringMatching(detail),
      nextStep: expect.stringMatching(nextStep),
    });
    expect(
      clauses.slice(0, at).every(({ state, nextStep: step }) => (state === 'holds' || clause === 'name') && step === ''),
    ).toBe(true);
    expect(clauses.slice(at + 1).every(({ state, detail: text }) => state === 'not-reached' && text === '')).toBe(true);
  });
});

test('what is well is published, never healthy, and every clause says what it found', () => {
  const { clauses, published, about } = explain(well);
  expect(clauses.every(({ state, detail }) => state === 'holds' && detail !== '')).toBe(true);
  expect(clauses.map(({ name }) => name)).toEqual([
    'name',
    'sandbox',
    'declaration',
    'configuration',
    'session',
    'runtime',
    'credential',
    'owner',
    'member',
    'endpoint',
    'report',
    'renewal',
    'grant',
  ]);
  expect(published).toMatchObject({ host: HOST, until: 14_000, endpoint: { address: '10.0.0.7' } });
  expect(about).toEqual({ workspace: 'a', sandbox: 'a1', service: 'web' });
  expect(JSON.stringify(clauses)).not.toMatch(/health/i);
});

test('who may not see a workspace learns no more than of one that there is not', () => {
  const unseen = explain(well, { scope: team('b') });
  const none = explain(well, { scope: team('b'), host: 'a--a2--web.apps.test' });
  const plainly = (it: typeof none): string => JSON.stringify(it.clauses).replaceAll('a2', 'a1');
  expect(plainly(unseen)).toBe(plainly(none));
});

test('there is a staged failure for every clause', () => {
  const staged = new Set(rows.map(([, , clause]) => clause));
  expect(explain(well).clauses.filter(({ name }) => !staged.has(name))).toEqual([]);
});

test('published and explained agree, whatever is broken', () => {
  for (const [title, breaks, clause, , , asked] of rows) {
    const { published, clauses } = explain(breaks, asked);
    const holds = clauses.every(({ name, state }) => state === 'holds' || name === 'grant');
    expect([title, published !== undefined]).toEqual([title, holds || clause === 'grant']);
  }
});
