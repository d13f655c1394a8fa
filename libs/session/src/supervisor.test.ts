import { LEASE_MS, servesUntil } from '@sallyport/authority';
import { at, epoch, member, runtime, SANDBOX, sessionId } from '@sallyport/authority/testing';
import type { ConfigRevision, Configuration, GatewayId, Nonce } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import type { GatewayMessage, OwnershipState } from './messages.ts';
import { type SupervisorEnd, type SupervisorEvent, startSupervisorEnd, stepSupervisor, UNANSWERED_MAX } from './supervisor.ts';
import { spell } from './testing/index.ts';

const configuration = (revision: bigint): Configuration =>
  ({ revision: revision as ConfigRevision, hash: `hash-${revision}`, services: [] }) as unknown as Configuration;

/** One end alone; it installs whatever it is given. */
function createEnd(mode: 'shared' | 'dedicated' = 'shared') {
  const ids = { sandboxId: SANDBOX, runtimeId: runtime('r0'), memberId: member('m0') };
  let state: SupervisorEnd = startSupervisorEnd(ids, mode);
  const end = {
    now: 0,
    state: () => state,
    until: () => servesUntil(state.standing),
    to: (ms: number): void => {
      end.now = ms;
    },
    step(event: SupervisorEvent): string[] {
      const stepped = stepSupervisor(state, event, { now: at(end.now), installed: [], ready: true, boundaryNonce: undefined });
      state = stepped.state;
      return stepped.effects.flatMap((effect) => {
        if (effect.kind === 'send') return [spell(effect.message)];
        if (effect.kind === 'end') return [`end: ${effect.reason}`];
        if (effect.kind !== 'install') return [effect.kind];
        return [`install ${effect.configuration.revision}`, ...end.step({ ...effect, kind: 'installed', rejection: undefined })];
      });
    },
    hear: (message: GatewayMessage) => end.step({ kind: 'message', message }),
    accept: (id = 's0') => end.hear({ kind: 'accepted', sessionId: sessionId(id), gatewayId: 'g0' as GatewayId }),
    told: (to: OwnershipState, value: number) => end.hear({ kind: 'ownership', state: to, ownerEpoch: epoch(value) }),
    configure: (revision: bigint) => end.hear({ kind: 'configuration', configuration: configuration(revision) }),
    challenge: (sequence: number) => end.hear({ kind: 'challenge', nonce: `n${sequence}` as Nonce, sequence }),
    lease: (ackOfReport: number, of = 7, ttlMs = LEASE_MS) =>
      end.hear({ kind: 'serving-lease', ackOfReport, ownerEpoch: epoch(of), ttlMs, boundaryToken: undefined }),
    beaten: (sequence: number, ageMs = 0) => end.hear({ kind: 'heartbeat-ack', sequence, ageMs }),
  };
  return end;
}

function owning(mode: 'shared' | 'dedicated' = 'shared') {
  const end = createEnd(mode);
  end.accept();
  end.told('owned', 7);
  end.configure(1n);
  end.beaten(1);
  return end;
}

describe('a lease counts from the sending of its report', () => {
  const rows: [title: string, act: (end: ReturnType<typeof createEnd>) => unknown, want: number][] = [
    ['however late it comes', (end) => [end.to(9_000), end.lease(1)], 14_500],
    ['however much it gives', (end) => end.lease(1, 7, 3_600_000), 14_500],
    ['or less, if it gives less', (end) => end.lease(1, 7, 5_000), 4_500],
    ['twice the same is the same', (end) => [end.lease(1), end.lease(1)], 14_500],
    ['of a newer report', (end) => [end.to(5_000), end.challenge(2), end.lease(2)], 19_500],
    ['and never shrinks by an older one', (end) => [end.to(5_000), end.challenge(2), end.lease(2), end.lease(1)], 19_500],
    ['nor by a newer one that gives less', (end) => [end.lease(1), end.challenge(2), end.lease(2, 7, 1_000)], 14_500],
    ['not for a report that was never sent', (end) => end.lease(9), Number.NEGATIVE_INFINITY],
    ['not under another epoch', (end) => end.lease(1, 8), Number.NEGATIVE_INFINITY],
    ['not for a tenure that ended meanwhile', (end) => [end.told('owned', 9), end.lease(1)], Number.NEGATIVE_INFINITY],
    [
      'not under a new tenure for a report of the old',
      (end) => [end.told('owned', 9), end.lease(1, 9)],
      Number.NEGATIVE_INFINITY,
    ],
    [
      'not in another session: its reports are forgotten',
      (end) => [end.step({ kind: 'closed' }), end.accept('s1'), end.told('owned', 7), end.lease(1)],
      Number.NEGATIVE_INFINITY,
    ],
    [
      'not once released (T5)',
      (end) => [end.hear({ kind: 'release', ownerEpoch: epoch(7) }), end.lease(1)],
      Number.NEGATIVE_INFINITY,
    ],
  ];
  test.each(rows)('%s', (_title, act, want) => {
    const end = owning();
    end.challenge(1);
    act(end);
    expect(end.until()).toBe(want);
  });
});

describe('freshness counts from the sending of the question', () => {
  const rows: [title: string, act: (end: ReturnType<typeof createEnd>) => unknown, want: number][] = [
    ['a heartbeat, however late its answer', (end) => [end.to(20_000), end.beaten(1)], 29_500],
    ['less the age of the view', (end) => end.beaten(1, 4_000), 25_500],
    ['not one that was never sent', (end) => end.beaten(5), Number.NEGATIVE_INFINITY],
    [
      'not one of another session',
      (end) => [end.step({ kind: 'closed' }), end.accept(), end.beaten(2)],
      Number.NEGATIVE_INFINITY,
    ],
    [
      'a poll, from when it was asked',
      (end) => [end.to(9_000), end.step({ kind: 'polled', askedAt: at(6_000), ageMs: 1_000, configuration: undefined })],
      34_500,
    ],
    [
      'and never shrinks by an answer that proves less',
      (end) => [end.beaten(1), end.step({ kind: 'polled', askedAt: at(0), ageMs: 9_000, configuration: undefined })],
      29_500,
    ],
  ];
  test.each(rows)('%s', (_title, act, want) => {
    const end = createEnd('dedicated');
    end.accept();
    end.told('owned', 7);
    end.configure(1n);
    act(end);
    expect(end.until()).toBe(want);
  });
  test('the first heartbeat leaves with the session, the next each 5 s, a late turn makes none up', () => {
    const end = createEnd();
    expect(end.accept()).toEqual(['heartbeat 1']);
    const beats = [0, 4_999, 5_000, 9_999, 30_000, 30_500].map((now) => {
      end.now = now;
      return end.step({ kind: 'tick' });
    });
    expect(beats).toEqual([[], [], ['heartbeat 2'], [], ['heartbeat 3'], []]);
  });
  test('what waits for an answer is bounded', () => {
    const end = owning();
    for (let turn = 2; turn < 30; turn += 1) {
      end.now = turn * 5_000;
      end.step({ kind: 'tick' });
      end.challenge(turn);
    }
    expect(end.state().session?.heartbeats).toHaveLength(UNANSWERED_MAX);
    expect(end.state().session?.reports).toHaveLength(UNANSWERED_MAX);
  });
});

describe('configuration', () => {
  test('is installed and answered, under the epoch that is known', () =>
    expect(owning().configure(2n)).toEqual(['install 2', 'applied 2 under 7']));
  test('that is lower than what is held is not installed: the gateway hears what is held', () => {
    const end = owning();
    end.configure(3n);
    expect(end.configure(2n)).toEqual(['applied 3 under 7']);
  });
  test('is answered again under an offer that comes later', () => {
    const end = owning();
    expect(end.told('offered', 8)).toEqual(['applied 1 under 8']);
  });
  test('between sessions is answered to nobody, and told when asked by the next offer', () => {
    const end = owning();
    end.step({ kind: 'closed' });
    expect(end.step({ kind: 'polled', askedAt: at(0), ageMs: 0, configuration: configuration(2n) })).toEqual(['install 2']);
    end.accept();
    expect(end.told('offered', 8)).toEqual(['applied 2 under 8']);
  });
  test('that a poll finds unmodified is told to a gateway that has not heard of it, once', () => {
    const end = owning();
    end.accept('s1');
    const poll: SupervisorEvent = { kind: 'polled', askedAt: at(0), ageMs: 0, configuration: undefined };
    expect(end.step(poll)).toEqual(['applied 1 under 7']);
    expect(end.step(poll)).toEqual([]);
  });
  test('nothing is reported before there is one', () => {
    const end = createEnd();
    end.accept();
    expect(end.challenge(1)).toEqual([]);
  });
});

describe('a release', () => {
  const releaseOf = (value: number): GatewayMessage => ({ kind: 'release', ownerEpoch: epoch(value) });
  test('stops admission, and is said until it is acknowledged', () => {
    const end = owning();
    expect(end.hear(releaseOf(7))).toEqual(['released', 'released 7']);
    expect(end.step({ kind: 'tick' })).toEqual(['released 7']);
    end.hear({ kind: 'release-ack', ownerEpoch: epoch(6) });
    expect(end.step({ kind: 'tick' })).toEqual(['released 7']);
    end.hear({ kind: 'release-ack', ownerEpoch: epoch(7) });
    expect(end.step({ kind: 'tick' })).toEqual([]);
  });
  test('of another tenure is not obeyed', () => {
    const end = owning();
    expect(end.hear(releaseOf(6))).toEqual([]);
    expect(end.hear(releaseOf(8))).toEqual([]);
    expect(end.state().standing.released).toBe(false);
  });
  test('may be the supervisor’s own idea, when it leaves and nobody asks; once, and only of what it owns', () => {
    const end = owning();
    expect(end.step({ kind: 'let-go' })).toEqual(['released', 'released 7']);
    expect(end.step({ kind: 'let-go' })).toEqual([]);
    expect(end.state().standing.released).toBe(true);
    const other = owning();
    other.told('offered', 8);
    expect(other.step({ kind: 'let-go' })).toEqual([]);
  });
  test('survives the session: the next gateway hears of it', () => {
    const end = owning();
    end.hear(releaseOf(7));
    end.step({ kind: 'closed' });
    end.accept('s1');
    end.told('owned', 7);
    expect(end.state().standing.released).toBe(true);
    expect(end.step({ kind: 'tick' })).toEqual(['released 7']);
  });
  test('is final for its epoch, also after the record said otherwise for a while', () => {
    const end = owning();
    end.hear(releaseOf(7));
    end.told('none', 0);
    expect(end.step({ kind: 'tick' })).toEqual([]);
    end.told('owned', 7);
    expect(end.state().standing.released).toBe(true);
    end.told('owned', 8);
    expect(end.state().standing.released).toBe(false);
  });
  test.each([
    ['its next tenure', 'owned', 8],
    ['an offer, whatever its epoch', 'offered', 7],
  ] as const)('is said no more after %s: it is written', (_what, state, of) => {
    const end = owning();
    end.hear(releaseOf(7));
    end.told(state, of);
    expect(end.step({ kind: 'tick' })).toEqual([]);
  });
  test('is no state to be published in', () => {
    const end = owning();
    end.hear(releaseOf(7));
    const asked: SupervisorEvent = { kind: 'message', message: { kind: 'challenge', nonce: 'n1' as Nonce, sequence: 1 } };
    const { effects } = stepSupervisor(end.state(), asked, { now: at(0), installed: [], ready: true, boundaryNonce: undefined });
    expect(effects).toMatchObject([{ kind: 'send', message: { kind: 'report', report: { ready: false } } }]);
  });
});

test('before Accepted a gateway has nothing to say', () => {
  const end = createEnd();
  expect(end.told('owned', 7)).toEqual(['end: ownership before accepted']);
  expect(end.state().standing.acknowledged).toBe(false);
});
test('stopped is stopped: no session, no time left', () => {
  const end = owning('dedicated');
  end.step({ kind: 'stop' });
  expect(end.until()).toBe(Number.NEGATIVE_INFINITY);
  expect(end.state().session).toBeUndefined();
});
