import { FRESHNESS_MS, LEASE_MS, servesUntil } from '@sallyport/authority';
import { fencing, offered, owned, SANDBOX, service } from '@sallyport/authority/testing';
import { describe, expect, test } from 'vitest';
import { type Conversation, type ConversationOptions, createConversation } from './testing/index.ts';

const WEB = 'team--demo--web.apps.test';
const MINUTE_MS = 60_000;

function serving(options: ConversationOptions = {}): Conversation {
  const talk = createConversation(options);
  talk.open('s1');
  if (options.capabilities?.push === false) talk.poll();
  talk.run(1_000);
  expect(talk.outcome(WEB)).toBe('admitted');
  return talk;
}

/** Each different outcome, in the order in which they came. */
const outcomesOver = (talk: Conversation, ms: number, eachMs = 250): string[] =>
  talk.runAsking(ms, eachMs, () => talk.outcome(WEB)).filter((each, index, all) => each !== all[index - 1]);

/** How long from now until it is refused, within 250 ms. */
function servesFor(talk: Conversation): number {
  for (let passed = 0; passed < MINUTE_MS; passed += 250) {
    if (talk.outcome(WEB) !== 'admitted') return passed;
    talk.run(250);
  }
  return Number.POSITIVE_INFINITY;
}

describe('a healthy owner serves without a gap', () => {
  const rows: [title: string, options: ConversationOptions][] = [
    ['a quiet push session', {}],
    ['a quiet push session of a dedicated supervisor', { mode: 'dedicated' }],
    ['at a round trip of a second', { latencyMs: 500 }],
    ['dedicated, without leases or challenges', { mode: 'dedicated', capabilities: { advertisements: false } }],
  ];
  test.each(rows)('%s, for 10 minutes', (_title, options) => {
    const talk = createConversation(options);
    talk.open('s1');
    talk.run(5_000);
    expect(outcomesOver(talk, 10 * MINUTE_MS)).toEqual(['admitted']);
  });

  test('while it polls each 10 s, for 10 minutes', () => {
    const talk = serving({ capabilities: { push: false } });
    for (let minute = 0; minute < 60; minute += 1) {
      talk.poll();
      expect(outcomesOver(talk, 10_000)).toEqual(['admitted']);
    }
  });

  test('while its configuration changes every 3 s (T21)', () => {
    const talk = serving();
    for (let revision = 2n; revision < 42n; revision += 1n) {
      talk.change((scene) => scene.config(revision, [service('web', 8080), service('api', Number(revision))]));
      expect(outcomesOver(talk, 3_000, 100)).toEqual(['admitted']);
    }
  });

  test('across a gateway that is lost: another session takes over in time', () => {
    const talk = serving();
    for (let turn = 2; turn < 12; turn += 1) {
      talk.cut();
      expect(outcomesOver(talk, 8_000)).toEqual(['admitted']);
      talk.open(`s${turn}`);
      expect(outcomesOver(talk, 1_000)).toEqual(['admitted']);
    }
  });
});

describe('a member that serves ends in time', () => {
  test('shared: 14.5 s after its last report, when the session is lost', () => {
    const talk = serving();
    talk.cut();
    expect(servesFor(talk)).toBeLessThanOrEqual(LEASE_MS - 500);
    expect(talk.outcome(WEB)).toBe('lease_expired');
  });
  test('dedicated: 29.5 s after its last heartbeat', () => {
    const talk = serving({ mode: 'dedicated' });
    talk.cut();
    const passed = servesFor(talk);
    expect(passed).toBeGreaterThan(LEASE_MS);
    expect(passed).toBeLessThanOrEqual(FRESHNESS_MS - 500);
    expect(talk.outcome(WEB)).toBe('not_fresh');
  });
  test.each([
    ['shared', LEASE_MS],
    ['dedicated', FRESHNESS_MS],
  ] as const)('%s: by a gateway without authority, though the session stays and speaks', (mode, atMost) => {
    const talk = serving({ mode });
    talk.authority(false);
    expect(servesFor(talk)).toBeLessThanOrEqual(atMost);
    talk.transcript();
    talk.run(30_000);
    expect(talk.transcript()).not.toMatch(/gateway/);
    talk.authority(true);
    talk.run(11_000);
    expect(talk.outcome(WEB)).toBe('admitted');
  });
  test('a view that grows old renews less and less: freshness carries the gateway’s age (T7)', () => {
    const talk = serving({ mode: 'dedicated' });
    const before = talk.now();
    talk.stallEcho();
    expect(servesFor(talk)).toBeLessThanOrEqual(FRESHNESS_MS);
    expect(talk.now() - before).toBeLessThanOrEqual(FRESHNESS_MS);
    expect(talk.transcript()).toMatch(/heartbeat-ack \d age 2\d\d\d\d/);
  });
  test('one that was paused past its deadline, before anything else happens in it', () => {
    const talk = serving();
    talk.pause();
    talk.run(20_000);
    expect(talk.outcome(WEB)).toBe('lease_expired');
    talk.resume();
    // What came meanwhile is answered late, and counts for nothing: its challenges are dead, its leases of the past.
    expect(talk.outcome(WEB)).toBe('lease_expired');
    talk.run(6_000);
    expect(talk.outcome(WEB)).toBe('admitted');
  });
  test('one whose process is not ready reports so, and is renewed no more', () => {
    const talk = serving();
    talk.ready(false);
    expect(servesFor(talk)).toBeLessThanOrEqual(LEASE_MS);
  });
  test('one that was fenced, as soon as it hears of it, whatever its lease', () => {
    const talk = serving();
    talk.change((scene) => scene.owner(owned('m1', 9)));
    talk.run(10);
    expect(talk.outcome(WEB)).toBe('not_fresh');
    expect(servesUntil(talk.supervisor().standing)).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe('a vector that was under way when the owner was fenced leases nothing (T1)', () => {
  test.each([
    ['fenced before the echo', 5_001, 'not_fresh'],
    ['not fenced', undefined, 'admitted'],
  ] as const)('%s', (_title, fencedAt, want) => {
    const talk = serving();
    talk.run(3_900);
    talk.transcript();
    if (fencedAt !== undefined) {
      talk.run(fencedAt - talk.now());
      talk.change((scene) => scene.owner(owned('m1', 9)));
    }
    talk.run(1_000);
    const said = talk.transcript();
    if (fencedAt === undefined) expect(said).toMatch(/5.0\d gateway {4}serving-lease for report 3 of 7/);
    else expect(said).toMatch(/5.0\d {12}\(refused: owner\)/);
    if (fencedAt !== undefined) expect(said).not.toMatch(/serving-lease/);
    expect(talk.outcome(WEB)).toBe(want);
  });
});

describe('a release is final for its epoch', () => {
  test('a lease for it that was under way is ignored (T5)', () => {
    const talk = serving();
    talk.run(3_000);
    const { session } = talk.supervisor();
    talk.drain();
    talk.run(15);
    const before = servesUntil(talk.supervisor().standing);
    for (const { sequence } of session?.reports ?? [])
      talk.arrive({
        kind: 'serving-lease',
        ackOfReport: sequence,
        ownerEpoch: 7n as never,
        ttlMs: LEASE_MS,
        boundaryToken: undefined,
      });
    expect(talk.outcome(WEB)).toBe('draining');
    expect(servesUntil(talk.supervisor().standing)).toBe(before);
  });

  test('a gateway that still says it is owned does not bring it back, and hears of it until it is written', () => {
    const talk = serving();
    talk.drain();
    talk.run(11);
    talk.drain(false);
    // The stream breaks before the gateway hears of it, and the next gateway knows of no release.
    talk.open('s2');
    talk.scene.owner(owned('m0', 7));
    talk.change(() => undefined);
    talk.run(11);
    expect(talk.outcome(WEB)).toBe('draining');
    talk.run(1_000);
    expect(talk.scene.world.owners.get(SANDBOX)?.value.kind).toBe('released');
    talk.transcript();
    talk.run(3_000);
    expect(talk.transcript()).not.toMatch(/released/);
  });

  test('a late Released of an earlier tenure ends nothing (T6)', () => {
    const talk = serving();
    talk.drain();
    talk.run(100);
    talk.drain(false);
    talk.change((scene) => scene.owner(offered('m0', 9)));
    talk.run(6_000);
    expect(talk.outcome(WEB)).toBe('admitted');
    talk.hear({ kind: 'released', ownerEpoch: 7n as never });
    talk.run(100);
    expect(talk.scene.world.owners.get(SANDBOX)?.value).toEqual(owned('m0', 9));
    expect(talk.outcome(WEB)).toBe('admitted');
  });

  test.each(['shared', 'dedicated'] as const)('%s: what is open goes on until what was held ends, and no longer', (mode) => {
    const talk = serving({ mode });
    const held = servesUntil(talk.supervisor().standing);
    talk.drain();
    const until = talk.runAsking(60_000, 500, () => servesUntil(talk.supervisor().standing));
    expect(new Set(until)).toEqual(new Set([held]));
    expect(talk.outcome(WEB)).toBe('draining');
  });

  test('but not if the owner is fenced meanwhile: then all of it ends at once', () => {
    const talk = serving();
    talk.change((scene) => scene.owner(fencing('m0', 8, 7)));
    talk.run(10);
    expect(servesUntil(talk.supervisor().standing)).toBe(Number.NEGATIVE_INFINITY);
  });
});
