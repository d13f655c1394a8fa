import { supervisorV1 as sv } from '@sallyport/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openByHand, type Told } from './hand/hand-supervisor.ts';
import { type Owning, ownByHand } from './hand/owning.ts';
import { attempt } from './misuse/attempt.ts';
import { FOREIGN_CREDENTIAL, POOL, type Stage, startStage } from './misuse/stage.ts';
import { until } from './rig/until.ts';

let stage: Stage;
let owning: Owning;
let challenge: Told<'challenge'>;
beforeEach(async () => {
  stage = await startStage();
  owning = await ownByHand(stage, 'member-a');
  await owning.session.hear('ownership');
  challenge = await owning.session.hear('challenge');
});
afterEach(async () => {
  owning.leave();
  await stage.close();
});

test('an honest report is published and leased', async () => {
  owning.report(challenge);
  const lease = await owning.session.hear('servingLease');
  expect(lease).toMatchObject({ ackOfReport: challenge.sequence, ttlMs: 15_000 });
  expect([...(await stage.records()).keys()].filter((key) => key.includes('/installation/'))).toHaveLength(1);
});

type Lie = (owning: Owning, challenge: Told<'challenge'>) => Partial<sv.Report>;

describe('a report that lies is refused by its clause, counted once, and moves nothing', () => {
  const rows: [title: string, clause: string, lie: Lie][] = [
    ['a nonce that nobody gave', 'nonce_unknown', () => ({ nonce: 'AAAAAAAAAAAAAAAAAAAAAA' })],
    ['a sequence of another challenge', 'nonce_unknown', (_own, { sequence }) => ({ sequence: sequence + 1n })],
    ["another session's report", 'session', () => ({ sessionId: 'another' })],
    ['another life of the workload', 'runtime', () => ({ runtimeId: 'r0' })],
    ['an epoch from the past', 'owner', ({ ownerEpoch }) => ({ ownerEpoch: ownerEpoch - 1n })],
    ['an epoch from the future', 'owner', ({ ownerEpoch }) => ({ ownerEpoch: ownerEpoch + 1n })],
    ['a configuration from the past', 'configuration', ({ configuration }) => ({ configRevision: configuration.revision - 1n })],
    ['another content of the configuration', 'configuration', () => ({ configHash: 'a'.repeat(64) })],
    ['a process that is not ready', 'ready', () => ({ ready: false })],
    ['routes that are not installed', 'routes', () => ({ routes: [] })],
  ];
  test.each(rows)('%s: %s', async (_title, clause, lie) => {
    const before = await stage.records();
    owning.report(challenge, lie(owning, challenge));
    await until('the refusal is counted', async () => (await stage.fencedCount(clause)) > 0, 5_000);
    expect(await stage.fencedCount(clause)).toBe(1);
    expect(stage.refusalLines('report').filter((line) => line.includes(`"clause":"${clause}"`))).toHaveLength(1);
    expect(await stage.records()).toEqual(before);
    expect(owning.session.heard('servingLease')).toBe(false);
  });
});

test('a nonce counts once', async () => {
  owning.report(challenge);
  await owning.session.hear('servingLease');
  const before = await stage.records();
  owning.report(challenge);
  await until('the refusal is counted', async () => (await stage.fencedCount('nonce_unknown')) > 0, 5_000);
  expect(await stage.records()).toEqual(before);
});

describe('a Hello that does not fit is refused', () => {
  const rows: [title: string, status: string, hello: Partial<sv.SessionHello>][] = [
    ['no credential', 'INVALID_ARGUMENT', { credential: '' }],
    ['a credential that the driver does not know', 'UNAUTHENTICATED', { credential: 'nobody', memberId: 'member-b' }],
    ['a credential for another pool', 'PERMISSION_DENIED', { credential: FOREIGN_CREDENTIAL }],
    ['a sandbox that is not there', 'NOT_FOUND', { sandboxId: 'none' }],
    ['another life of the workload', 'FAILED_PRECONDITION', { runtimeId: 'r0' }],
    ['a member that has not joined', 'FAILED_PRECONDITION', { memberId: 'member-z' }],
  ];
  test.each(rows)('%s: %s', async (_title, status, wrong) => {
    const before = await stage.records();
    // The driver has a line of its own for what it was asked.
    const lines = (): readonly string[] => stage.refusalLines().filter((line) => line.includes('SupervisorService/Session'));
    const said = lines().length;
    const bytes = sv.SessionRequest.encode({ request: { $case: 'hello', value: { ...owning.hello, ...wrong } } }).finish();
    const link = await stage.link('supervisor', 'supervisor');
    expect(await attempt(link, sv.SupervisorServiceService.session, Buffer.from(bytes))).toBe(status);
    expect(await stage.refusedCount('supervisor', 'Session', status)).toBe(1);
    expect(lines().slice(said)).toHaveLength(1);
    expect(await stage.records()).toEqual(before);
  });
});

test('a foreign pool cannot be joined', async () => {
  const state = { ready: true, draining: false, appPort: 1, capacity: 1 };
  const hello = { memberId: 'member-f', poolId: POOL, credential: FOREIGN_CREDENTIAL, state };
  const bytes = sv.JoinRequest.encode({ request: { $case: 'hello', value: hello } }).finish();
  const before = await stage.records();
  const link = await stage.link('supervisor', 'supervisor');
  expect(await attempt(link, sv.SupervisorServiceService.join, Buffer.from(bytes))).toBe('PERMISSION_DENIED');
  expect(await stage.records()).toEqual(before);
});

describe('a poll is a question within its session', () => {
  const rows: [title: string, status: string, wrong: Partial<sv.PollConfigurationRequest>][] = [
    ["another session's", 'FAILED_PRECONDITION', { sessionId: 'another' }],
    ["a foreign pool's credential", 'PERMISSION_DENIED', { credential: FOREIGN_CREDENTIAL }],
    ['no credential', 'INVALID_ARGUMENT', { credential: '' }],
    ['its own', 'OK', {}],
  ];
  test.each(rows)('%s: %s', async (_title, status, wrong) => {
    const { sandboxId, memberId, credential } = owning.hello;
    const { sessionId } = owning.accepted;
    const poll = { sessionId, sandboxId, memberId, credential, knownRevision: 0n, knownHash: '', ...wrong };
    const bytes = Buffer.from(sv.PollConfigurationRequest.encode(poll).finish());
    const link = await stage.link('supervisor', 'supervisor');
    expect(await attempt(link, sv.SupervisorServiceService.pollConfiguration, bytes)).toBe(status);
  });
});

test('a second session of the same member ends the first, and only the first', async () => {
  const link = await stage.link('supervisor', 'supervisor');
  const second = openByHand(link, owning.hello);
  await second.hear('accepted');
  expect(await owning.session.closed).toMatchObject({ kind: 'fenced', clause: 'session' });
  owning.report(challenge);
  expect((await second.hear('ownership')).ownerEpoch).toBe(owning.ownerEpoch);
  second.end();
});
