import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, openTunnel } from './client.ts';
import { type Member, type Rig, startRig } from './rig.ts';
import { figure, pastTheGrace, pause, SECOND, untilServedBy } from './served.ts';

describe('with a boundary', () => {
  let rig: Rig;
  let first: Member;
  let second: Member;

  beforeAll(async () => {
    rig = await startRig({ withBoundary: true });
    first = await rig.member('m-first');
    await untilServedBy(rig, first);
    second = await rig.member('m-second');
    await pastTheGrace(rig);
  });
  afterAll(() => rig.close());

  test('requests and tunnels go through it, and a port that is not declared does not', async () => {
    const tunnel = await openTunnel(rig, first.port);
    const before = rig.app.bytes();
    tunnel.write(Buffer.alloc(100_000, 1));
    await expect.poll(() => rig.app.bytes() - before).toBe(100_000);
    tunnel.destroy();
    expect((await ask(rig, second.port)).status).not.toBe(200);
  });

  test('an owner that lives, holds its lease and is only cut off from its gateway reaches nothing once another has the sandbox', async () => {
    const tunnel = await openTunnel(rig, first.port);
    const before = rig.app.bytes();
    const writing = setInterval(() => tunnel.writable && tunnel.write(Buffer.alloc(1_000, 1)), 5);
    await expect.poll(() => rig.app.bytes() - before).toBeGreaterThan(0);
    first.network.cut();
    figure('taken over from an owner that is cut off', await untilServedBy(rig, second));
    const atTakeover = rig.app.bytes();
    // It may still admit, by the lease that it holds; the boundary lets nothing through.
    expect((await ask(rig, first.port)).status).not.toBe(200);
    await pause(SECOND);
    clearInterval(writing);
    expect(rig.app.bytes() - atTakeover).toBe(0);
    first.network.mend();
    tunnel.destroy();
  });

  test('the process of an owner is killed: another serves within seconds', async () => {
    // The first has joined again, and could follow.
    await pause(2 * SECOND);
    await second.process.kill();
    const tookMs = await untilServedBy(rig, first);
    figure('taken over from an owner that was killed', tookMs);
    expect(await rig.publishedPort()).toBe(first.port);
    // The goal is 3 s, and judged by `npm run e2e`; here only that nobody sat out the 19 s for an owner that is not fenced.
    expect(tookMs).toBeLessThan(12 * SECOND);
  });
});
