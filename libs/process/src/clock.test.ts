import type { ClockReading, Instant } from '@sallyport/model';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createClock, nodeMachine } from './clock.ts';
import { createManualClock } from './manual-clock.ts';
import { createTimers } from './timers.ts';
import { wait } from './wait.ts';

const at = (ms: number) => ms as Instant;

describe('timers', () => {
  test('come out by instant, then by order of making, whatever was cancelled', () => {
    const timers = createTimers();
    const expected: string[] = [];
    const all: { due: number; order: number; cancel: () => void }[] = [];
    const ran: string[] = [];
    // A fixed scramble: 7919 is prime to 1000, so each instant comes up several times in no order.
    for (let order = 0; order < 1_000; order += 1) {
      const due = (order * 7_919) % 250;
      all.push({ due, order, cancel: timers.add(at(due), () => ran.push(`${due}/${order}`)) });
    }
    for (const entry of all) if (entry.order % 3 === 0) entry.cancel();
    for (const entry of [...all].sort((a, b) => a.due - b.due || a.order - b.order)) {
      if (entry.order % 3 !== 0) expected.push(`${entry.due}/${entry.order}`);
    }
    for (let act = timers.takeDue(at(250)); act !== undefined; act = timers.takeDue(at(250))) act();
    expect(ran).toEqual(expected);
    expect(timers.next()).toBeUndefined();
  });
  test('keep what is not due', () => {
    const timers = createTimers();
    timers.add(at(5), () => undefined);
    expect(timers.takeDue(at(4))).toBeUndefined();
    expect(timers.next()).toBe(5);
  });
  test('one cancelled after it was taken does nothing', () => {
    const timers = createTimers();
    let ran = false;
    const cancel = timers.add(at(1), () => {
      ran = true;
    });
    const act = timers.takeDue(at(1));
    cancel();
    act?.();
    expect(ran).toBe(false);
  });
});

describe('the real clock', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** A machine whose clocks are moved by hand; `pass` lets all run, `suspend` only the wall and the one since boot. */
  function machine() {
    const reading = { monotonicMs: 1_000, wallMs: 5_000_000 };
    let suspendedMs = 0;
    const read = (): ClockReading => ({ ...reading, bootMs: () => reading.monotonicMs + suspendedMs });
    const clock = createClock({ ...nodeMachine, read });
    return {
      clock,
      pass: (ms: number) => {
        for (let passed = 0; passed < ms; passed += 1) {
          reading.monotonicMs += 1;
          reading.wallMs += 1;
          vi.advanceTimersByTime(1);
        }
      },
      suspend: (ms: number) => {
        reading.wallMs += ms;
        suspendedMs += ms;
      },
      setBack: (ms: number) => {
        reading.wallMs -= ms;
      },
    };
  }

  test('its steady reading is not moved by the wall clock: a wait on it never ends early', () => {
    const { clock, pass, suspend } = machine();
    const before = [clock.now(), clock.steadyMs()] as const;
    suspend(20_000);
    pass(10);
    expect([clock.now() - before[0], clock.steadyMs() - before[1]]).toEqual([20_010, 10]);
  });
  test('runs a timer at its instant and not before', () => {
    const { clock, pass } = machine();
    const ran: Instant[] = [];
    clock.at(at(3_500), () => ran.push(clock.now()));
    pass(2_499);
    expect(ran).toEqual([]);
    pass(1);
    expect(ran).toEqual([3_500]);
  });
  test('never runs one inside the call that makes it', () => {
    const { clock, pass } = machine();
    let ran = 0;
    clock.at(at(0), () => {
      ran += 1;
    });
    expect(ran).toBe(0);
    pass(1);
    expect(ran).toBe(1);
  });
  test('a suspension brings deadlines within a second of waking', () => {
    const { clock, pass, suspend } = machine();
    let ran = false;
    clock.at(at(61_000), () => {
      ran = true;
    });
    pass(1_000);
    suspend(3_600_000);
    pass(1_000);
    expect(ran).toBe(true);
    expect(clock.jumpCount()).toBe(1);
  });
  test('a wall clock set back changes nothing', () => {
    const { clock, pass, setBack } = machine();
    pass(1_000);
    setBack(86_400_000);
    pass(1_000);
    expect(clock.now()).toBe(3_000);
    expect(clock.jumpCount()).toBe(0);
  });
  test('a wall clock set back during a suspension hides it for no more than a second', () => {
    const { clock, pass, suspend, setBack } = machine();
    pass(1_000);
    suspend(20_000);
    setBack(20_000);
    pass(1_000);
    expect(clock.now()).toBe(23_000);
    expect(clock.jumpCount()).toBe(1);
  });
  test('whoever peeks changes nothing', () => {
    const { clock, suspend } = machine();
    suspend(20_000);
    expect([clock.peek(), clock.jumpCount(), clock.now(), clock.jumpCount()]).toEqual([21_000, 0, 21_000, 1]);
  });
  test('one due timer that cancels another keeps it from running', () => {
    const { clock, pass } = machine();
    const ran: string[] = [];
    clock.at(at(1_005), () => {
      ran.push('first');
      cancel();
    });
    const cancel = clock.at(at(1_005), () => ran.push('second'));
    pass(10);
    expect(ran).toEqual(['first']);
  });
  test('keeps time for `every` and leaves missed turns out', () => {
    const { clock, pass, suspend } = machine();
    const ran: Instant[] = [];
    const cancel = clock.every(100, () => ran.push(clock.now()));
    pass(250);
    expect(ran).toEqual([1_100, 1_200]);
    suspend(1_000);
    pass(150);
    // One turn for the ten that passed, the next a full period after it.
    expect(ran.map(Math.round)).toEqual([1_100, 1_200, 2_300, 2_400]);
    cancel();
    pass(500);
    expect(ran).toHaveLength(4);
  });
  test('stops for good', () => {
    const { clock, pass } = machine();
    let ran = false;
    clock.at(at(1_001), () => {
      ran = true;
    });
    clock.stop();
    pass(10);
    expect(ran).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the manual clock', () => {
  test('runs what is due in order, each at its own instant', () => {
    const clock = createManualClock(100);
    const ran: string[] = [];
    clock.at(at(130), () => ran.push(`b@${clock.now()}`));
    clock.at(at(110), () => {
      ran.push(`a@${clock.now()}`);
      clock.at(at(120), () => ran.push(`new@${clock.now()}`));
    });
    clock.advance(29);
    expect(ran).toEqual(['a@110', 'new@120']);
    expect(clock.now()).toBe(129);
    expect(clock.pendingCount()).toBe(1);
  });
  test('lets promises settle between timers', async () => {
    const clock = createManualClock();
    const ran: Instant[] = [];
    const loop = (async () => {
      for (let turn = 0; turn < 3; turn += 1) {
        await wait(clock, 10);
        ran.push(clock.now());
      }
    })();
    await clock.advanceAsync(100);
    await loop;
    expect(ran).toEqual([10, 20, 30]);
  });
  test('stalls: what came due runs late, once', () => {
    const clock = createManualClock();
    const ran: Instant[] = [];
    clock.every(10, () => ran.push(clock.now()));
    clock.stall(45);
    expect(ran).toEqual([]);
    clock.advance(0);
    expect(ran).toEqual([45]);
    clock.advance(10);
    expect(ran).toEqual([45, 55]);
  });
  test('refuses to run for ever', () => {
    const clock = createManualClock();
    const again = (): void => void clock.at(clock.now(), again);
    again();
    expect(() => clock.advance(1)).toThrow(/makes itself again/);
  });
  test('refuses a period of nothing', () => expect(() => createManualClock().every(0, () => undefined)).toThrow(RangeError));
});

describe('wait', () => {
  test('ends early when aborted and leaves no timer', async () => {
    const clock = createManualClock();
    const abort = new AbortController();
    const waiting = wait(clock, 1_000, abort.signal);
    abort.abort();
    expect(await waiting).toBe('aborted');
    expect(clock.pendingCount()).toBe(0);
  });
  test('does not begin when already aborted', async () => {
    const clock = createManualClock();
    expect(await wait(clock, 1_000, AbortSignal.abort())).toBe('aborted');
    expect(clock.pendingCount()).toBe(0);
  });
});
