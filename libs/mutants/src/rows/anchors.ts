import type { Row } from './row.ts';

const supervisor = 'libs/session/src/supervisor.ts';
const gateway = 'libs/session/src/gateway.ts';
const membership = 'apps/gateway/src/membership.ts';
const renewals = 'apps/gateway/src/renewals.ts';
const assign = 'apps/gateway/src/assign.ts';
const boundary = 'libs/authority/src/boundary.ts';

const anchor = (
  what: string,
  removes: string,
  file: string,
  ...pairs: readonly (readonly [find: string, becomes: string])[]
): Row => ({
  id: `anchor ${what}`,
  kind: 'anchor',
  removes,
  changes: pairs.map(([find, becomes]) => ({ file, find, becomes })),
});

/** From when each span is counted: here from a later moment than the one that can only end early. */
export const anchors: readonly Row[] = [
  anchor('a lease', 'a lease counts from its arrival, not from the sending of its report', supervisor, [
    'return leased(state, session, message);',
    'return leased(state, { ...session, reports: session.reports.map((each) => ({ ...each, sentAt: context.now })) }, message);',
  ]),
  anchor('freshness by heartbeat', 'freshness counts from the answer, not from the sending of its heartbeat', supervisor, [
    'asked.sentAt, message.ageMs',
    'context.now, message.ageMs',
  ]),
  anchor('freshness by poll', 'freshness counts from the answer, not from the sending of its poll', supervisor, [
    'return polled(state, event);',
    'return polled(state, { ...event, askedAt: context.now });',
  ]),
  anchor('a renewal', 'what is left of a report counts from its arrival, not from the sending of its challenge', gateway, [
    'challengeSentAt: answered.value.answered.sentAt,',
    'challengeSentAt: context.now,',
  ]),
  anchor('silence', 'a session is silent from the beginning of time, not from its opening', 'apps/gateway/src/sessions.ts', [
    'lastGoodReportAt: Math.max(state.lastGoodReportAt, session.openedAt) as Instant,',
    'lastGoodReportAt: state.lastGoodReportAt,',
  ]),
  anchor('suspicion', 'grace counts from the joining alone, not from the moment at which the view moved again', assign, [
    'Math.max(membership.gainedAt(), currentSince) as Instant',
    'membership.gainedAt()',
  ]),
  anchor('trust in a new key', 'trust counts from the answer, not from the request for the lease', membership, [
    'trustedUntil = later(sentAt, GATEWAY_TRUST_MS);\n    gainedAt = clock.now();',
    'trustedUntil = later(clock.now(), GATEWAY_TRUST_MS);\n    gainedAt = clock.now();',
  ]),
  anchor('trust in a kept key', 'trust counts from the answer, not from the sending of the keepalive', membership, [
    'trustedUntil = later(sentAt, GATEWAY_TRUST_MS);\n    }',
    'trustedUntil = later(clock.now(), GATEWAY_TRUST_MS);\n    }',
  ]),
  anchor('the age of a view', 'the age counts from the return of the vector, not from its sending', renewals, [
    'sentAt > echoSentAt) echoSentAt = sentAt;',
    'sentAt > echoSentAt) echoSentAt = clock.now();',
  ]),
  anchor('the echo', 'reports are leased when their vector is committed, not when it has come back', renewals, [
    'await reached(written.revision);\n    if (stopped',
    'if (stopped',
  ]),
  anchor(
    'the steady clock',
    'the wait after a fence counts by a clock that can be put ahead',
    assign,
    [
      'clock.steadyMs() - (fenced.get(sandboxId)?.atMs ?? clock.steadyMs())',
      'clock.now() - (fenced.get(sandboxId)?.atMs ?? clock.now())',
    ],
    [
      'fenced.set(sandboxId, { epoch: owner.ownedEpoch, atMs: clock.steadyMs() });',
      'fenced.set(sandboxId, { epoch: owner.ownedEpoch, atMs: clock.now() });',
    ],
  ),
  anchor(
    'the wait of an epoch',
    'each fence begins the wait anew, though the owner has been silent since the first',
    assign,
    ['fenced.get(sandboxId)?.epoch !== owner.ownedEpoch)', 'fenced.get(sandboxId)?.epoch !== owner.epoch)'],
    ['{ epoch: owner.ownedEpoch,', '{ epoch: owner.epoch,'],
  ),
  anchor('a right', 'a right counts from the token, not from the issue of its nonce', boundary, [
    'later(nonceAt, lifeOf(claims.mode))',
    'later(now, lifeOf(claims.mode))',
  ]),
  anchor('no authority, no lease', 'a lease is sent by a gateway whose view may be of any age', gateway, [
    'if (context.ageMs === undefined || sequence <= state.leasedSequence)',
    'if (sequence <= state.leasedSequence)',
  ]),
  anchor('no authority, no challenge', 'a challenge is sent by a gateway whose view may be of any age', gateway, [
    'if (!state.capabilities.advertisements || context.ageMs === undefined)',
    'if (!state.capabilities.advertisements)',
  ]),
  anchor('the age of nothing', 'a view that has not moved for longer than freshness still has an age', renewals, [
    'return age < FRESHNESS_MS ? age : undefined;',
    'return age;',
  ]),
  anchor('a key of its own', 'a gateway counts the echo of a life that it has lost', renewals, [
    'membership.current()?.gatewayId !== echoOf) return undefined;',
    'false) return undefined;',
  ]),
  anchor('an unknown outcome', 'a write whose outcome is unknown counts as failed', 'apps/gateway/src/writer.ts', [
    'return settle(opId, puts[0]?.key, outcome.message);',
    "return void settle, { kind: 'refused', revision: 0n as StoreRevision, failed: [] };",
  ]),
  anchor('a stale list', 'a list that shows less than was seen is taken', 'libs/store/src/cache.ts', [
    "if (listed.revision < revision) return relist('stale');",
    '',
  ]),
  anchor('a hole', 'a revision that is missing is not noticed', 'libs/store/src/cache.ts', [
    "if (holes === 'relist' && hasHole(events, revision)) relist('hole');\n    else fold",
    'fold',
  ]),
];
