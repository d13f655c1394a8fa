import { describe, expect, test } from 'vitest';
import type { Asked, Delivery, Done, Evidence, Opened, Outcome, Sight } from './evidence.ts';
import { judgeAnswer } from './prober.ts';
import { boundMs, TERMS } from './recovery.ts';
import { judge } from './verdict.ts';

/** A sandbox behind a boundary (`a`) and one without (`c`), both owned by one, then by two. Times in milliseconds. */
const MEMBERS = [
  { memberId: 'm1', seenAt: 0, appPort: 1 },
  { memberId: 'm2', seenAt: 0, appPort: 2 },
];
const LISTENERS = [
  { name: 'one', port: 1, startedAt: [0] },
  { name: 'two', port: 2, startedAt: [0] },
];
const CHANGE_AT = 50_000;
const owners = (sandbox: string, how: 'graceful' | 'abrupt'): Evidence['moves'] => [
  { sandbox, seenAt: 100, kind: 'owned', epoch: 10n, memberId: 'm1' },
  ...(how === 'abrupt' ? [{ sandbox, seenAt: CHANGE_AT - 20_000, kind: 'fencing' as const, epoch: 11n, memberId: 'm1' }] : []),
  { sandbox, seenAt: CHANGE_AT, kind: 'owned', epoch: 20n, memberId: 'm2' },
];
const workload = (sandbox: string) => ({ sandbox, pid: 7, startedAtTicks: '9', life: 'x', digest: 'd', count: 1 });
const facts = { mode: 'shared' as const, listeners: ['one', 'two'] };

function world(part: Partial<Evidence>, how: 'graceful' | 'abrupt' = 'abrupt'): Evidence {
  return {
    sandboxes: [
      { name: 'a', hasBoundary: true, ...facts },
      { name: 'c', hasBoundary: false, ...facts },
    ],
    listeners: LISTENERS,
    members: MEMBERS,
    moves: [...owners('a', how), ...owners('c', how)],
    asked: [],
    deliveries: [],
    opened: [],
    sights: [],
    faults: [],
    before: [workload('a'), workload('c')],
    after: [workload('a'), workload('c')],
    ...part,
  };
}

const RIGHT: Outcome = { kind: 'right' };
const asks = (id: string, sandbox: string, sentAt: number, outcome: Outcome = RIGHT): Asked => ({
  ...{ id, sandbox, sentAt, outcome, answeredAt: sentAt + 10 },
  listener: id.split('.')[0] ?? '',
});
const reaches = (id: string, sandbox: string, at: number, more: Partial<Delivery> = {}): Delivery => ({
  ...{ id, sandbox, at, peerPort: 5, connectedAtWallMs: 1_000, count: 1 },
  ...more,
});
const channel = (order: number, epoch: bigint, memberId: string, localPort: number): Opened => ({
  ...{ sandbox: 'a', order, epoch, memberId, localPort },
  atWallMs: 1_000,
});
const fault = (kind: Done['kind'], target: string, startedAt: number, healedAt: number): Done => ({
  ...{ number: 1, kind, target, startedAt, healedAt },
  plannedAt: startedAt,
});

describe('without a boundary', () => {
  const rows: [title: string, evidence: Evidence, violation: RegExp | undefined][] = [
    [
      'each owner in its time',
      world({
        asked: [asks('one.1', 'c', 1_000), asks('two.2', 'c', 51_000)],
        deliveries: [reaches('one.1', 'c', 1_001), reaches('two.2', 'c', 51_001)],
      }),
      undefined,
    ],
    [
      'a fenced owner after its successor',
      world({
        asked: [asks('two.2', 'c', 51_000), asks('one.3', 'c', 51_500)],
        deliveries: [reaches('two.2', 'c', 51_001), reaches('one.3', 'c', 51_501)],
      }),
      /one\.3 of epoch 10 .* after two\.2 of epoch 20 .*: the older one was fenced/,
    ],
    [
      'who owned nothing yet',
      world({ asked: [asks('two.2', 'c', 1_000)], deliveries: [reaches('two.2', 'c', 1_001)] }),
      /two, which had never owned it/,
    ],
    [
      'in good order, what was under way',
      world(
        {
          asked: [asks('two.2', 'c', 50_000), asks('one.1', 'c', 49_990)],
          deliveries: [reaches('two.2', 'c', 50_001), reaches('one.1', 'c', 50_005)],
        },
        'graceful',
      ),
      undefined,
    ],
    [
      'in good order, what was admitted after the change',
      world(
        {
          asked: [asks('two.2', 'c', 50_000), asks('one.1', 'c', 50_100)],
          deliveries: [reaches('two.2', 'c', 50_001), reaches('one.1', 'c', 50_105)],
        },
        'graceful',
      ),
      /admitted after the change/,
    ],
    [
      'in good order, a tunnel that lasts too long',
      world(
        {
          asked: [asks('two.2', 'c', 50_000), asks('one.t1', 'c', 1_000)],
          deliveries: [
            reaches('one.t1', 'c', 1_001),
            reaches('two.2', 'c', 50_001),
            reaches('one.t1', 'c', 65_500, { line: { writtenAt: 65_499 } }),
          ],
        },
        'graceful',
      ),
      /longer than a change in good order allows/,
    ],
    [
      'a tunnel that passes a line after its owner stood still for longer than its lease',
      world({
        asked: [asks('one.t1', 'c', 1_000)],
        deliveries: [reaches('one.t1', 'c', 1_001), reaches('one.t1', 'c', 21_000, { line: { writtenAt: 6_000 } })],
        faults: [fault('supervisor-stopped', 'one', 4_000, 20_000)],
      }),
      /stood still for longer than its lease/,
    ],
  ];
  test.each(rows)('%s', (_title, evidence, violation) => {
    const violations = judge(evidence);
    if (violation === undefined) expect(violations).toEqual([]);
    else expect(violations.join('\n')).toMatch(violation);
  });
});

describe('behind a boundary', () => {
  const both = { asked: [asks('one.1', 'a', 1_000), asks('two.2', 'a', 51_000)] };
  const rows: [title: string, evidence: Evidence, violation: RegExp | undefined][] = [
    [
      'each epoch by its own channel',
      world({
        ...both,
        deliveries: [reaches('one.1', 'a', 1_001), reaches('two.2', 'a', 51_001, { peerPort: 6 })],
        opened: [channel(1, 10n, 'm1', 5), channel(2, 20n, 'm2', 6)],
      }),
      undefined,
    ],
    [
      'an older epoch opens after a newer one',
      world({ opened: [channel(1, 20n, 'm2', 6), channel(2, 10n, 'm1', 5)] }),
      /opened a channel of epoch 10 \(m1\) after one of 20/,
    ],
    [
      'a byte of a fenced epoch',
      world({
        ...both,
        deliveries: [reaches('two.2', 'a', 51_001, { peerPort: 6 }), reaches('one.1', 'a', 51_002)],
        opened: [channel(1, 10n, 'm1', 5), channel(2, 20n, 'm2', 6)],
      }),
      /the older one was fenced/,
    ],
    [
      'a way around it',
      world({ asked: [asks('one.1', 'a', 1_000)], deliveries: [reaches('one.1', 'a', 1_001)] }),
      /by a way that its boundary did not open/,
    ],
    [
      'its last words are lost with it',
      world({
        asked: [asks('one.1', 'a', 1_000)],
        deliveries: [reaches('one.1', 'a', 1_001)],
        faults: [fault('boundary-killed', 'a', 1_002, 2_000)],
      }),
      undefined,
    ],
    [
      "through another's channel",
      world({
        asked: [asks('one.1', 'a', 51_000)],
        deliveries: [reaches('one.1', 'a', 51_001)],
        opened: [channel(1, 20n, 'm2', 5)],
      }),
      /one\.1 was delivered through the channel of two/,
    ],
  ];
  test.each(rows)('%s', (_title, evidence, violation) => {
    const violations = judge(evidence);
    if (violation === undefined) expect(violations).toEqual([]);
    else expect(violations.join('\n')).toMatch(violation);
  });
});

describe('answers', () => {
  const silence: Outcome = { kind: 'no-answer', why: 'ECONNRESET' };
  const rows: [title: string, part: Partial<Evidence>, violation: RegExp | undefined][] = [
    [
      'a wrong one',
      { asked: [asks('one.1', 'c', 1_000, { kind: 'wrong', why: 'foreign' })] },
      /answered one\.1 wrongly: foreign/,
    ],
    ['one that no application gave', { asked: [asks('one.1', 'c', 1_000)] }, /never delivered/],
    ['a refusal', { asked: [asks('one.1', 'c', 1_000, { kind: 'refused', why: '503 not_fresh' })] }, undefined],
    ['a name that is not known', { asked: [asks('two.1', 'c', 1_000, { kind: 'unknown-name' })] }, undefined],
    ['none, without a reason', { asked: [asks('one.1', 'c', 1_000, silence)] }, /no fault explains it/],
    [
      'none, because its listener was killed',
      { asked: [asks('one.1', 'c', 1_000, silence)], faults: [fault('supervisor-killed', 'one', 900, 2_000)] },
      undefined,
    ],
    [
      'none, while another was killed',
      { asked: [asks('one.1', 'c', 1_000, silence)], faults: [fault('supervisor-killed', 'two', 900, 2_000)] },
      /no fault explains it/,
    ],
    [
      'none, while a gateway was killed',
      { asked: [asks('one.1', 'c', 1_000, silence)], faults: [fault('gateway-killed', 'gateway-1', 900, 2_000)] },
      /no fault explains it/,
    ],
    [
      'cut, and then refused',
      { asked: [asks('one.1', 'c', 1_000, silence), asks('one.2', 'c', 1_100, { kind: 'refused', why: '503 lease_expired' })] },
      undefined,
    ],
  ];
  test.each(rows)('%s', (_title, part, violation) => {
    const violations = judge(world(part));
    if (violation === undefined) expect(violations).toEqual([]);
    else expect(violations.join('\n')).toMatch(violation);
  });

  const answers: [title: string, answer: Parameters<typeof judgeAnswer>[0], kind: Outcome['kind']][] = [
    ['its own', { status: 200, code: undefined, body: '{"sandbox":"a","id":"one.1","life":"x"}' }, 'right'],
    ['that of another question', { status: 200, code: undefined, body: '{"sandbox":"a","id":"one.2","life":"x"}' }, 'wrong'],
    ['that of another sandbox', { status: 200, code: undefined, body: '{"sandbox":"b","id":"one.1","life":"x"}' }, 'wrong'],
    ['that of another life', { status: 200, code: undefined, body: '{"sandbox":"a","id":"one.1","life":"y"}' }, 'wrong'],
    ['no JSON', { status: 200, code: undefined, body: 'hello' }, 'wrong'],
    ['a refusal', { status: 503, code: 'lease_expired', body: '' }, 'refused'],
    ['a refusal under another status', { status: 502, code: 'lease_expired', body: '' }, 'wrong'],
    ['a code that nobody knows', { status: 503, code: 'tired', body: '' }, 'wrong'],
    ['a status without a code', { status: 502, code: undefined, body: '' }, 'wrong'],
  ];
  test.each(answers)('%s', (_title, answer, kind) =>
    expect(judgeAnswer(answer, { id: 'one.1', sandbox: 'a' }, new Map([['a', 'x']])).kind).toBe(kind),
  );
});

describe('what discovery shows', () => {
  const sees = (port: number, askedAt: number, ttlMs: number): Sight => ({
    ...{ sandbox: 'c', askedAt, answeredAt: askedAt + 5 },
    shown: { port, ttlMs },
  });
  const rows: [title: string, sight: Sight, violation: RegExp | undefined][] = [
    ['the owner', sees(1, 1_000, 12_000), undefined],
    ['the owner before, for what its lease leaves', sees(1, CHANGE_AT - 12_000, 4_000), undefined],
    ['the owner before, for longer', sees(1, CHANGE_AT - 12_000, 9_000), /beyond the end of its ownership/],
    ['who has yet to own it', sees(2, 1_000, 1_000), /had never owned it/],
    ['nobody', { sandbox: 'c', askedAt: 1, answeredAt: 2 }, undefined],
  ];
  test.each(rows)('%s', (_title, sight, violation) => {
    const violations = judge(world({ sights: [sight] }));
    if (violation === undefined) expect(violations).toEqual([]);
    else expect(violations.join('\n')).toMatch(violation);
  });
});

test.each(['pid', 'life', 'digest'] as const)("a workload's %s must not change", (key) => {
  const after = [{ ...workload('a'), [key]: key === 'pid' ? 8 : 'other' }, workload('c')];
  expect(judge(world({ after })).join()).toMatch(`the workload's ${key}`);
});

test('the time to recover is made of what happened, and only the part that is work grows with the load', () => {
  const bound = (sandbox: Partial<Evidence['sandboxes'][number]>, faults: readonly Done[], stretch = 1): number => {
    const planned = faults.map((each) => ({ ...each, at: 0, forMs: 0 }));
    return boundMs({ name: 'c', hasBoundary: false, ...facts, ...sandbox }, planned, [], stretch);
  };
  const killed = fault('supervisor-killed', 'one', 0, 1);
  expect(bound({}, [])).toBe(TERMS.work);
  expect(bound({}, [], 3)).toBe(3 * TERMS.work);
  expect(bound({}, [killed], 3)).toBe(3 * TERMS.work + TERMS.suspicion + TERMS.sharedWait);
  expect(bound({ hasBoundary: true }, [killed])).toBe(TERMS.work + TERMS.suspicion);
  expect(bound({ mode: 'dedicated' }, [killed])).toBe(TERMS.work + TERMS.suspicion + TERMS.dedicatedWait);
  expect(bound({}, [killed, fault('gateway-killed', 'gateway-1', 0, 1)])).toBe(
    TERMS.work + TERMS.suspicion + TERMS.sharedWait + TERMS.grace,
  );
});
