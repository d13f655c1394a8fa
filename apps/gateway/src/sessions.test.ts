import { createScene, gateway, SANDBOX } from '@sallyport/authority/testing';
import { createLog } from '@sallyport/process';
import { createManualClock } from '@sallyport/process/manual-clock';
import type { Capabilities } from '@sallyport/session';
import { describe, expect, test } from 'vitest';
import { createSessions, type SessionActs } from './sessions.ts';

function open(capabilities: Partial<Capabilities> = {}) {
  const scene = createScene();
  const clock = createManualClock(100_000);
  const lost: string[] = [];
  const sessions = createSessions({
    gatewayId: () => gateway('g0'),
    world: scene.world,
    acts: { lost: ({ sessionId }) => void lost.push(sessionId) } as Partial<SessionActs> as SessionActs,
    ageMs: () => 0,
    wantsRelease: () => false,
    clock,
    log: createLog({ level: 'silent' }),
    randomId: () => 'nonce',
  });
  const session = scene.session('m0', 's0');
  const start = () =>
    sessions.open(
      session,
      { advertisements: true, push: true, ...capabilities },
      { send: () => undefined, end: () => undefined },
    );
  return { scene, clock, sessions, session, lost, start, observed: () => sessions.observed(session.sessionId) };
}

describe('what is known of a session', () => {
  test('its silence begins with its opening', () => {
    const { clock, start, observed } = open();
    start();
    clock.advance(5_000);
    expect(observed()).toEqual({ lostAt: undefined, lastGoodReportAt: 100_000 });
  });
  test('one that never reports is not silent', () => {
    const { start, observed } = open({ advertisements: false });
    start();
    expect(observed()).toEqual({ lostAt: undefined, lastGoodReportAt: undefined });
  });
  test('it is lost when its stream ends, once, and no later look makes it younger', () => {
    const { clock, lost, start, observed } = open();
    const live = start();
    clock.advance(1_000);
    live.close();
    live.close();
    clock.advance(1_000);
    expect([observed(), lost]).toEqual([{ lostAt: 101_000, lastGoodReportAt: undefined }, ['s0']]);
  });
  test('one that was never opened is lost from when it was first missed', () => {
    const { clock, observed } = open();
    observed();
    clock.advance(3_000);
    expect(observed()?.lostAt).toBe(100_000);
  });
  test('its end by the record ends its stream, and nothing steps any more', () => {
    const { scene, sessions, start } = open();
    const live = start();
    scene.session('m0', 's9');
    sessions.moved([SANDBOX]);
    expect(sessions.count()).toBe(0);
    const before = live.state();
    live.step({ kind: 'challenge-due' });
    expect(live.state()).toBe(before);
  });
});
