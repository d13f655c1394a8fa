import { createManualClock, settlePromises } from '@sallyport/process/manual-clock';
import { describe, expect, test } from 'vitest';
import type { Clock } from './clock.ts';
import { createLoopback } from './loopback.ts';
import { startApp } from './testing/app.ts';
import { until } from './testing/until.ts';

const never = new AbortController().signal;
const dialler = (forbidden: number[] = []) => {
  const clock = createManualClock();
  /** How long it meant to wait each time, the limit of an attempt included. */
  const waits: number[] = [];
  const watched: Clock = {
    now: () => clock.now(),
    at(instant, act) {
      waits.push(instant - clock.now());
      return clock.at(instant, act);
    },
  };
  const loopback = createLoopback({ clock: watched, forbiddenPorts: new Set(forbidden), dialMs: 1_000 });
  return { clock, waits, dial: (port: number, signal: AbortSignal) => loopback.dial(port, signal) };
};
/** Nothing listens on it: the port of an application that has closed. */
async function closedPort(): Promise<number> {
  const app = await startApp(() => {});
  await app.close();
  return app.port;
}

describe('a dial', () => {
  test.each(['127.0.0.1', '::1'])('reaches an application on %s alone', async (host) => {
    const app = await startApp(() => {}, { host });
    const dialled = await dialler().dial(app.port, never);
    expect(dialled.ok).toBe(true);
    if (dialled.ok) dialled.value.destroy();
    await app.close();
  });

  test('takes 127.0.0.1 if both listen', async () => {
    const app = await startApp(() => {});
    const other = await startApp(() => {}, { host: '::1', port: app.port });
    const dialled = await dialler().dial(app.port, never);
    await until('there', () => app.connections.length === 1);
    expect(other.connections).toHaveLength(0);
    if (dialled.ok) dialled.value.destroy();
    await app.close();
    await other.close();
  });

  test('that is refused is tried again after 50, 100 and 200 ms, and then given up', async () => {
    const { clock, waits, dial } = dialler();
    let outcome: unknown;
    void dial(await closedPort(), never).then((result) => {
      outcome = result;
    });
    for (const ms of [50, 100, 200]) {
      await until('a pause', () => waits.at(-1) === ms);
      clock.advance(ms - 1);
      await settlePromises();
      expect([outcome, clock.pendingCount()]).toEqual([undefined, 1]);
      clock.advance(1);
      await settlePromises();
    }
    await until('given up', () => outcome !== undefined);
    expect(outcome).toEqual({ ok: false, error: { kind: 'refused' } });
    expect(clock.pendingCount()).toBe(0);
  });

  test('finds an application that comes back meanwhile', async () => {
    const { clock, waits, dial } = dialler();
    const port = await closedPort();
    const dialling = dial(port, never);
    await until('a pause', () => waits.at(-1) === 50);
    const app = await startApp(() => {}, { port });
    clock.advance(50);
    const dialled = await dialling;
    expect(dialled.ok).toBe(true);
    if (dialled.ok) dialled.value.destroy();
    await app.close();
  });

  test('is aborted in a pause', async () => {
    const { clock, waits, dial } = dialler();
    const abort = new AbortController();
    const dialling = dial(await closedPort(), abort.signal);
    await until('a pause', () => waits.at(-1) === 50);
    abort.abort();
    expect(await dialling).toEqual({ ok: false, error: { kind: 'aborted' } });
    expect(clock.pendingCount()).toBe(0);
  });

  test('is aborted before it began', async () => {
    expect(await dialler().dial(1, AbortSignal.abort())).toEqual({ ok: false, error: { kind: 'aborted' } });
  });

  test('never goes to a forbidden port', async () => {
    const app = await startApp(() => {});
    expect(await dialler([app.port]).dial(app.port, never)).toEqual({ ok: false, error: { kind: 'forbidden' } });
    expect(app.connections).toHaveLength(0);
    await app.close();
  });
});
