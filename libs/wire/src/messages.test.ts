import type { GatewayMessage } from '@sallyport/session';
import { describe, expect, test } from 'vitest';
import * as pb from './gen/sallyport/supervisor/v1/supervisor.ts';
import {
  type JoinRequest,
  type JoinResponse,
  joinRequestMessage,
  joinResponseMessage,
  parseJoinRequest,
  parseJoinResponse,
} from './join.ts';
import {
  type PollRequest,
  type PollResponse,
  parsePollRequest,
  parsePollResponse,
  pollRequestMessage,
  pollResponseMessage,
} from './poll.ts';
import { parseSessionRequest, type SessionRequest, sessionRequestMessage } from './session-requests.ts';
import { parseSessionResponse, sessionResponseMessage } from './session-responses.ts';
import { configuration, installation } from './testing/values.ts';

const nonce = 'AAECAwQFBgcICQoLDA0OD-_';
const valid = nonce.slice(0, 22);
const hash = 'b'.repeat(64);
const report = {
  sessionId: 's1',
  runtimeId: 'r1',
  configRevision: 3n,
  configHash: hash,
  ownerEpoch: 11n,
  routes: installation.routes,
  ready: true,
};
const hello = {
  sandboxId: 'sb1',
  runtimeId: 'r1',
  memberId: 'm1',
  credential: 'e30.e30.sig',
  capabilities: { advertisements: true, push: false },
};
const memberState = { ready: true, draining: false, appPort: 8443, capacity: 10 };
const assignment = { sandboxId: 'sb1', runtimeId: 'r1', mode: 'shared', workspace: 'team', sandbox: 'demo' };

/** Through bytes, as on the wire. */
const through = <M>(type: { encode(message: M): { finish(): Uint8Array }; decode(bytes: Uint8Array): M }, message: M): M =>
  type.decode(type.encode(message).finish());

describe('what is sent is read', () => {
  const requests = [
    { kind: 'hello', hello },
    { kind: 'applied', revision: 3n, hash, ownerEpoch: 0n },
    { kind: 'rejected', revision: 3n, hash, ownerEpoch: 11n, reason: 'port 22 is not allowed' },
    { kind: 'report', nonce: valid, sequence: 4, report, boundaryNonce: undefined },
    {
      kind: 'report',
      nonce: valid,
      sequence: 4,
      report: { ...report, configRevision: 0n, configHash: '', ownerEpoch: 0n, routes: [] },
      boundaryNonce: valid,
    },
    { kind: 'heartbeat', sequence: 7 },
    { kind: 'released', ownerEpoch: 11n },
    { kind: 'fence-answer', answer: Buffer.from([1, 2, 3]) },
  ] as unknown as SessionRequest[];
  test.each(requests)('session request $kind', (request) =>
    expect(parseSessionRequest(through(pb.SessionRequest, sessionRequestMessage(request)))).toEqual({ ok: true, value: request }),
  );

  const responses = [
    { kind: 'accepted', sessionId: 's1', gatewayId: 'gw1' },
    { kind: 'ownership', ownerEpoch: 0n, state: 'none' },
    { kind: 'ownership', ownerEpoch: 11n, state: 'offered' },
    { kind: 'ownership', ownerEpoch: 11n, state: 'owned' },
    { kind: 'configuration', configuration },
    { kind: 'challenge', nonce: valid, sequence: 4 },
    { kind: 'serving-lease', ackOfReport: 4, ownerEpoch: 11n, ttlMs: 15_000, boundaryToken: undefined },
    { kind: 'serving-lease', ackOfReport: 4, ownerEpoch: 11n, ttlMs: 0, boundaryToken: 'e30.e30.sig' },
    { kind: 'heartbeat-ack', sequence: 7, ageMs: 400 },
    { kind: 'release', ownerEpoch: 11n },
    { kind: 'release-ack', ownerEpoch: 11n },
    { kind: 'fence', token: 'e30.e30.sig' },
  ] as unknown as GatewayMessage[];
  test.each(responses)('session response $kind', (response) =>
    expect(parseSessionResponse(through(pb.SessionResponse, sessionResponseMessage(response)))).toEqual({
      ok: true,
      value: response,
    }),
  );

  const joins = [
    { kind: 'hello', memberId: 'm1', poolId: 'p1', credential: 'e30.e30.sig', state: memberState },
    { kind: 'state', state: { ...memberState, draining: true, appPort: 0 } },
    { kind: 'ping' },
  ] as unknown as JoinRequest[];
  test.each(joins)('join request $kind', (request) =>
    expect(parseJoinRequest(through(pb.JoinRequest, joinRequestMessage(request)))).toEqual({ ok: true, value: request }),
  );

  const answers = [
    { kind: 'accepted', joinId: 'j1', gatewayId: 'gw1' },
    { kind: 'assignments', assignments: [] },
    { kind: 'assignments', assignments: [{ ...assignment, boundaryAddress: 'demo.sandboxes.svc:9443' }] },
    { kind: 'assignments', assignments: [assignment, { ...assignment, sandboxId: 'sb2', mode: 'dedicated' }] },
    { kind: 'pong', againMs: 0 },
    { kind: 'pong', againMs: 60_000 },
  ] as unknown as JoinResponse[];
  test.each(answers)('join response $kind', (response) =>
    expect(parseJoinResponse(through(pb.JoinResponse, joinResponseMessage(response)))).toEqual({ ok: true, value: response }),
  );

  const poll = { sessionId: 's1', sandboxId: 'sb1', memberId: 'm1', credential: 'e30.e30.sig' };
  test.each([
    { ...poll, known: undefined },
    { ...poll, known: { revision: 3n, hash } },
  ] as unknown as PollRequest[])('poll of %o', (request) =>
    expect(parsePollRequest(through(pb.PollConfigurationRequest, pollRequestMessage(request)))).toEqual({
      ok: true,
      value: request,
    }),
  );
  test.each([
    { configuration: undefined, ageMs: 5 },
    { configuration, ageMs: 0 },
  ] as PollResponse[])('answer to a poll', (response) =>
    expect(parsePollResponse(through(pb.PollConfigurationResponse, pollResponseMessage(response)))).toEqual({
      ok: true,
      value: response,
    }),
  );
});

describe('times are rounded to the safe side', () => {
  test('a lease down', () => {
    const lease = {
      kind: 'serving-lease',
      ackOfReport: 1,
      ownerEpoch: 1n as never,
      ttlMs: 14_999.9,
      boundaryToken: undefined,
    } as const;
    expect(parseSessionResponse(sessionResponseMessage(lease))).toMatchObject({ value: { ttlMs: 14_999 } });
  });
  test('an age up', () => {
    expect(parseSessionResponse(sessionResponseMessage({ kind: 'heartbeat-ack', sequence: 1, ageMs: 0.2 }))).toMatchObject({
      value: { ageMs: 1 },
    });
  });
});

test('a reason that quotes control characters passes the door', () => {
  const rejected = {
    kind: 'rejected',
    revision: 1n as never,
    hash,
    ownerEpoch: 0n as never,
    reason: `bad "\r\n"${'x'.repeat(2_000)}`,
  } as const;
  expect(parseSessionRequest(sessionRequestMessage(rejected))).toMatchObject({ ok: true });
});

describe('an absent capability is false', () => {
  test('all absent', () => {
    const message = pb.SessionRequest.create({
      request: { $case: 'hello', value: pb.SessionHello.create({ ...hello, capabilities: undefined } as never) },
    });
    expect(parseSessionRequest(message)).toMatchObject({
      value: { hello: { capabilities: { advertisements: false, push: false } } },
    });
  });
});

type Case = NonNullable<pb.SessionRequest['request']>;
type Answer = NonNullable<pb.SessionResponse['response']>;
const asked = ($case: Case['$case'], value: object) => parseSessionRequest({ request: { $case, value } as Case });
const answered = ($case: Answer['$case'], value: object) => parseSessionResponse({ response: { $case, value } as Answer });
const reported = {
  ...report,
  nonce: valid,
  sequence: 4n,
  boundaryNonce: '',
  routes: [{ service: 'web', host: 'a.apps.test', port: 80 }],
};

describe('anything else is malformed, never a throw', () => {
  const rows: [title: string, result: { ok: boolean }, problem: RegExp][] = [
    ['an empty session request', parseSessionRequest({ request: undefined }), /request is missing/],
    ['a hello without a credential', asked('hello', { ...hello, credential: '' }), /credential/],
    ['a credential with a line end', asked('hello', { ...hello, credential: 'a\nb' }), /credential/],
    ['a credential of 9000 characters', asked('hello', { ...hello, credential: 'a'.repeat(9_000) }), /credential/],
    ['a sandbox id with a slash', asked('hello', { ...hello, sandboxId: '../x' }), /sandbox_id/],
    ['an empty member id', asked('hello', { ...hello, memberId: '' }), /member_id/],
    ['revision 0 applied', asked('applied', { revision: 0n, hash, ownerEpoch: 0n }), /revision/],
    ['a hash in upper case', asked('applied', { revision: 1n, hash: hash.toUpperCase(), ownerEpoch: 0n }), /hash/],
    [
      'a reason of 1025 characters',
      asked('rejected', { revision: 1n, hash, ownerEpoch: 0n, reason: 'x'.repeat(1_025) }),
      /reason/,
    ],
    ['a nonce that is short', asked('report', { ...reported, nonce: 'abc' }), /nonce/],
    ['a nonce with other characters', asked('report', { ...reported, nonce: `${valid.slice(1)}+` }), /nonce/],
    ['a sequence beyond a number', asked('report', { ...reported, sequence: 2n ** 53n }), /sequence/],
    ['a route to port 0', asked('report', { ...reported, routes: [{ service: '', host: 'a.b', port: 0 }] }), /port/],
    [
      'a route to a host with a port',
      asked('report', { ...reported, routes: [{ service: '', host: 'a.b:1', port: 1 }] }),
      /host/,
    ],
    ['one host in two routes', asked('report', { ...reported, routes: [...reported.routes, ...reported.routes] }), /host twice/],
    [
      '65 routes',
      asked('report', { ...reported, routes: Array.from({ length: 65 }, (_, i) => ({ service: '', host: `h${i}.b`, port: 1 })) }),
      /at most 64/,
    ],
    ['a bad boundary nonce', asked('report', { ...reported, boundaryNonce: 'x' }), /boundary_nonce/],
    ['epoch 0 released', asked('released', { ownerEpoch: 0n }), /owner_epoch/],
    ['an empty fence answer', asked('fenceAnswer', { answer: Buffer.alloc(0) }), /answer/],
    ['a fence answer of 8193 bytes', asked('fenceAnswer', { answer: Buffer.alloc(8_193) }), /answer/],
    ['an empty session response', parseSessionResponse({ response: undefined }), /response is missing/],
    ['an ownership state that is not known', answered('ownership', { ownerEpoch: 1n, state: 0 }), /state/],
    ['owned under epoch 0', answered('ownership', { ownerEpoch: 0n, state: 3 }), /owner_epoch/],
    [
      'a lease of 15001 ms',
      answered('servingLease', { ackOfReport: 1n, ownerEpoch: 1n, ttlMs: 15_001, boundaryToken: '' }),
      /ttl_ms/,
    ],
    [
      'a lease of no epoch',
      answered('servingLease', { ackOfReport: 1n, ownerEpoch: 0n, ttlMs: 1, boundaryToken: '' }),
      /owner_epoch/,
    ],
    ['a challenge without a nonce', answered('challenge', { nonce: '', sequence: 1n }), /nonce/],
    ['an age of a day and more', answered('heartbeatAck', { sequence: 1n, ageMs: 86_400_001 }), /age_ms/],
    ['an empty fence', answered('fence', { token: '' }), /token/],
    [
      'a join without a state',
      parseJoinRequest({ request: { $case: 'hello', value: { memberId: 'm', poolId: 'p', credential: 'c', state: undefined } } }),
      /state is missing/,
    ],
    [
      'a port of 65536',
      parseJoinRequest({ request: { $case: 'state', value: { ...memberState, appPort: 65_536 } } }),
      /app_port/,
    ],
    [
      'a capacity out of reason',
      parseJoinRequest({ request: { $case: 'state', value: { ...memberState, capacity: 4e9 } } }),
      /capacity/,
    ],
    [
      'a ping that may come again in an hour',
      parseJoinResponse(joinResponseMessage({ kind: 'pong', againMs: 3_600_000 })),
      /again_ms/,
    ],
    [
      'a sandbox assigned twice',
      parseJoinResponse(joinResponseMessage({ kind: 'assignments', assignments: [assignment, assignment] } as never)),
      /twice/,
    ],
    [
      'a poll that knows a revision without its hash',
      parsePollRequest(
        pb.PollConfigurationRequest.create({ sessionId: 's', sandboxId: 'b', memberId: 'm', credential: 'c', knownRevision: 1n }),
      ),
      /known_hash/,
    ],
  ];
  test.each(rows)('%s', (_title, result, problem) =>
    expect(result).toMatchObject({ ok: false, error: { kind: 'malformed', message: expect.stringMatching(problem) } }),
  );
});

test('no refusal repeats a secret', () => {
  const secret = 'very secret\u0000';
  expect(JSON.stringify(asked('hello', { ...hello, credential: secret }))).not.toContain('very');
});
