import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BOOT_EACH_MS,
  CLOCK_JUMP_MS,
  type ClockReading,
  type ClockState,
  CORRECTION_RATE,
  earliest,
  type Instant,
  LONG_AGO,
  later,
  NEVER,
  readClock,
  startClock,
} from './instant.ts';

const at = (ms: number): Instant => ms as Instant;
const reading = (monotonicMs: number, wallMs: number): ClockReading => ({ monotonicMs, wallMs });

/** Both clocks begin at 1,000; each step says how far each of them went. */
const run = (...steps: readonly [monotonicMs: number, wallMs: number][]): ClockState =>
  steps.reduce<ClockState>(
    (state, [monotonicMs, wallMs]) => readClock(state, reading(state.monotonicMs + monotonicMs, state.wallMs + wallMs)),
    startClock(reading(1_000, 1_000)),
  );

describe('two clocks are one', () => {
  const rows: [title: string, steps: [number, number][], passedMs: number, jumpCount: number][] = [
    ['both run alike', [[500, 500]], 500, 0],
    ['the wall clock is read in whole milliseconds', [[0.4, 1]], 0.4, 0],
    ['the wall clock is corrected a little', [[1_000, 1_000.5]], 1_000, 0],
    ['the machine was suspended: the monotonic clock stood still', [[10, 40_010]], 40_010, 1],
    ['the wall clock was set ahead: early is safe', [[10, 3_600_010]], 3_600_010, 1],
    ['the wall clock was set back: the monotonic one counts', [[10, -3_600_000]], 10, 0],
    [
      'set back and ahead again: early by as much',
      [
        [10, -60_000],
        [10, 60_010],
      ],
      60_020,
      1,
    ],
    ['a monotonic clock that goes back is not believed', [[-500, 0]], 0, 0],
    [
      'many short suspensions add up',
      [
        [10, 70],
        [10, 70],
        [10, 70],
      ],
      30 + 120,
      1,
    ],
    ['corrections of 500 ppm never do', Array.from({ length: 1_000 }, () => [1_000, 1_000.5]), 1_000_000, 0],
  ];
  test.each(rows)('%s', (_title, steps, passedMs, jumpCount) => {
    const state = run(...steps);
    expect(state.instant - 1_000).toBeCloseTo(passedMs, 0);
    expect(state.jumpCount).toBe(jumpCount);
  });
});

describe('a third clock that nobody can set', () => {
  /** Each step says how far the monotonic and the wall clock went, and for how long the machine was suspended in it. */
  const runAll = (...steps: readonly [monotonicMs: number, wallMs: number, suspendedMs: number][]): ClockState => {
    let boot = 77_000;
    const full = (monotonicMs: number, wallMs: number): ClockReading => ({ monotonicMs, wallMs, bootMs: () => boot });
    return steps.reduce<ClockState>(
      (state, [monotonicMs, wallMs, suspendedMs]) => {
        boot += monotonicMs + suspendedMs;
        return readClock(state, full(state.monotonicMs + monotonicMs, state.wallMs + wallMs));
      },
      startClock(full(1_000, 1_000)),
    );
  };
  const rows: [title: string, steps: [number, number, number][], passedMs: number, jumpCount: number][] = [
    ['a suspension counts once', [[10, 40_010, 40_000]], 40_010, 1],
    ['also when the wall clock is set back in it', [[10, -3_600_000, 40_000]], 40_010, 1],
    ['or ahead: whichever is more', [[10, 3_600_010, 40_000]], 3_600_010, 1],
    [
      'set back by just what it took: seen within ten milliseconds',
      [
        [5, 5, 40_000],
        [5, 5, 0],
      ],
      40_010,
      1,
    ],
    [
      'a clock that was set ahead before hides nothing',
      [
        [10, 3_600_010, 0],
        [10, -3_600_000, 40_000],
      ],
      3_640_020,
      2,
    ],
    [
      'short ones under a wall clock that is set back each time add up',
      [
        [1_000, 1_000, 60],
        [1_000, 1_000, 60],
      ],
      2_120,
      1,
    ],
    ['set back without a suspension: the monotonic one counts', [[10, -3_600_000, 0]], 10, 0],
  ];
  test.each(rows)('%s', (_title, steps, passedMs, jumpCount) => {
    const state = runAll(...steps);
    expect(state.instant - 1_000).toBeCloseTo(passedMs, 0);
    expect(state.jumpCount).toBe(jumpCount);
  });
  test('is asked seldom while the other two agree', () => {
    let asked = 0;
    const bootMs = (): number => {
      asked += 1;
      return 0;
    };
    let state = startClock({ monotonicMs: 0, wallMs: 0, bootMs });
    for (let tenth = 1; tenth <= 1_000; tenth += 1) {
      const ms = tenth / 10;
      state = readClock(state, { monotonicMs: ms, wallMs: ms, bootMs });
    }
    expect(asked).toBe(1 + 100 / BOOT_EACH_MS);
  });
});

test('time never goes back, and no deadline lives longer than either clock allows', () => {
  const step = fc.tuple(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 2_000 }));
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
      let state = startClock(reading(0, 0));
      for (const [monotonicMs, wallMs] of steps) {
        const next = readClock(state, reading(state.monotonicMs + monotonicMs, state.wallMs + wallMs));
        expect(next.instant).toBeGreaterThanOrEqual(state.instant);
        state = next;
        expect(state.instant).toBeGreaterThanOrEqual(state.monotonicMs);
        // Once the size of a jump, and what a correction may explain.
        expect(state.instant).toBeGreaterThan(state.wallMs - CLOCK_JUMP_MS - state.monotonicMs * CORRECTION_RATE - 0.001);
      }
    }),
  );
});

test.each([
  ['later adds', later(at(5), 10), 15],
  ['the earliest of two', earliest(at(5), at(3)), 3],
  ['nothing is later than never', earliest(NEVER, at(1e15)), 1e15],
  ['nothing is earlier than long ago', earliest(LONG_AGO, at(-1e15)), LONG_AGO],
])('%s', (_title, got, want) => expect(got).toBe(want));
