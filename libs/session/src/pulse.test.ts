import { type Instant, LONG_AGO } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import {
  answeredPing,
  askAgainMs,
  isSilent,
  look,
  PING_AGAIN_MAX_MS,
  PING_EVERY_MS,
  PING_SILENT_MS,
  PING_STALL_MS,
  type Pulse,
  restAfterLeaving,
  restsUntil,
  startPulse,
} from './pulse.ts';

const at = (ms: number): Instant => ms as Instant;
const BEGAN = 1_000;

/** A member whose gateway answered each question after `answerMs`, until it was stopped at `stoppedAt`; looked at when it asks for it. */
function until(
  end: number,
  given: {
    stoppedAt?: number;
    answerMs?: number;
    againMs?: number;
    restsUntil?: number;
    ownPause?: [from: number, to: number];
  } = {},
) {
  const { stoppedAt = Number.POSITIVE_INFINITY, answerMs = 5, againMs = 0, restsUntil = 0, ownPause } = given;
  let pulse: Pulse = startPulse(at(BEGAN), at(restsUntil));
  let answerAt: number | undefined;
  const asked: number[] = [];
  const silentAt: number[] = [];
  for (let now = BEGAN; now <= end; now += 1) {
    if (ownPause !== undefined && now >= ownPause[0] && now < ownPause[1]) continue;
    if (now >= pulse.lookAt) {
      const looked = look(pulse, at(now));
      pulse = looked.pulse;
      if (looked.asks) {
        asked.push(now);
        if (now + answerMs < stoppedAt) answerAt = now + answerMs;
      }
      if (isSilent(pulse, at(now))) silentAt.push(now);
    }
    // What comes together with an overdue look is read after it.
    if (answerAt !== undefined && now >= answerAt) {
      pulse = answeredPing(pulse, againMs, at(now));
      answerAt = undefined;
    }
  }
  return { asked, silentAt, pulse };
}

describe('a gateway that answers', () => {
  test('is asked at once, and again half a second after each answer', () => {
    expect(until(3_000).asked).toEqual([1_000, 1_505, 2_010, 2_515]);
  });
  test('is asked as seldom as it likes', () => {
    expect(until(9_000, { againMs: 3_000 }).asked).toEqual([1_000, 4_005, 7_010]);
  });
  test.each([
    ['no oftener than half a second', 1, PING_EVERY_MS],
    ['no seldomer than a minute', 1e9, PING_AGAIN_MAX_MS],
  ])('%s', (_title, againMs, wait) => {
    expect(answeredPing(startPulse(at(0), at(0)), againMs, at(7)).lookAt).toBe(7 + wait);
  });
  test.each([
    ['quickly', {}],
    ['slowly, but in time', { answerMs: PING_SILENT_MS - 1 }],
    ['while this member itself stood still for long', { ownPause: [5_000, 30_000] as [number, number] }],
    [
      'while this member itself stood still for just too long to tell',
      { answerMs: 900, ownPause: [1_200, 2_900] as [number, number] },
    ],
  ])('%s, is never silent', (_title, given) => {
    expect(until(60_000, given).silentAt).toEqual([]);
  });
});

describe('a gateway that is stopped', () => {
  test('is silent within a second and a half, and stays so', () => {
    for (let stoppedAt = 3_000; stoppedAt < 3_600; stoppedAt += 7) {
      const { silentAt } = until(8_000, { stoppedAt });
      expect((silentAt[0] ?? 99_999) - stoppedAt).toBeLessThanOrEqual(PING_EVERY_MS + PING_SILENT_MS + 10);
      expect(silentAt.length).toBeGreaterThan(5);
    }
  });
  test('is silent no sooner than a second after a question, and asked nothing more', () => {
    const { asked, silentAt } = until(8_000, { stoppedAt: 3_000 });
    expect(silentAt[0]).toBe((asked.at(-1) as number) + PING_SILENT_MS);
    expect(asked.at(-1)).toBeLessThan(3_505);
  });
  test('is not silent before one that was left for its silence has rested', () => {
    const [first = 0] = until(20_000, { stoppedAt: 3_000, restsUntil: 11_000 }).silentAt;
    expect(first).toBeGreaterThanOrEqual(11_000);
    expect(first).toBeLessThanOrEqual(11_000 + PING_EVERY_MS / 2);
  });
  test('is found out by a member that was itself stopped, a second after that goes on', () => {
    expect(until(9_000, { stoppedAt: 3_000, ownPause: [3_100, 6_000] }).silentAt[0]).toBe(7_000);
  });
  test('is not silent to somebody who looks too late to tell', () => {
    const { pulse } = until(5_000, { stoppedAt: 3_000 });
    expect([PING_STALL_MS, PING_STALL_MS + 1].map((late) => isSilent(pulse, at(pulse.lookAt + late)))).toEqual([true, false]);
  });
});

test('a gateway that has never answered is of an earlier release: its silence says nothing', () => {
  expect(until(60_000, { stoppedAt: 0 })).toMatchObject({ asked: [BEGAN], silentAt: [] });
});

test('one that is left for its silence gives the next ten seconds, and ever longer while none is better', () => {
  const rests: number[] = [];
  let rest = restAfterLeaving(undefined, at(0));
  for (let count = 0; count < 8; count += 1) {
    rests.push(rest.ms);
    rest = restAfterLeaving(rest, at(restsUntil(rest) + 1_000));
  }
  expect(rests).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
  const long = restAfterLeaving(undefined, at(0));
  expect([19_999, 20_000].map((now) => restAfterLeaving(long, at(now)).ms)).toEqual([20_000, 10_000]);
  expect([restsUntil(undefined), restsUntil(long)]).toEqual([LONG_AGO, 10_000]);
});

test.each([
  [0, 500],
  [1, 500],
  [1_000, 500],
  [1_001, 501],
  [10_000, 5_000],
  [100_000, 50_000],
  [1_000_000, 60_000],
])('%i members are asked to come again after %i ms', (members, ms) => {
  expect(askAgainMs(members)).toBe(ms);
});
