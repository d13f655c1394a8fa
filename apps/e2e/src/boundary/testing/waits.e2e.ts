import { expect, test } from 'vitest';
import { ask, openTunnel } from '../client.ts';
import { startRig } from '../rig.ts';
import { FAST, figure, pastTheGrace, pause, SECOND, untilServedBy } from '../served.ts';

test('an owner that is paused with 1 MB of its client in its hands reaches nothing when it resumes', async () => {
  const rig = await startRig({ withBoundary: true });
  try {
    const first = await rig.member('m-first');
    await untilServedBy(rig, first);
    const second = await rig.member('m-second');
    await pastTheGrace(rig);
    const tunnel = await openTunnel(rig, first.port);
    const before = rig.app.bytes();
    tunnel.write(Buffer.alloc(1_000, 1));
    await expect.poll(() => rig.app.bytes() - before).toBe(1_000);
    first.process.signal('SIGSTOP');
    tunnel.write(Buffer.alloc(1024 * 1024, 2));
    // Silence for 15 s of the gateway's clock; by its own the owner still holds its lease when it resumes.
    rig.gatewayClock.setRate(FAST);
    await untilServedBy(rig, second);
    rig.gatewayClock.setRate(1);
    const atTakeover = rig.app.bytes();
    first.process.signal('SIGCONT');
    const late = await ask(rig, first.port);
    await pause(2 * SECOND);
    expect(rig.app.bytes() - atTakeover).toBe(0);
    expect(late.status).not.toBe(200);
    tunnel.destroy();
  } finally {
    await rig.close();
  }
}, 90_000);

test('without a boundary the wait is sat out: 17 s from the fence', async () => {
  const rig = await startRig({ withBoundary: false });
  try {
    const first = await rig.member('m-first');
    await untilServedBy(rig, first);
    const second = await rig.member('m-second');
    await pastTheGrace(rig);
    await first.process.kill();
    rig.gatewayClock.setRate(FAST);
    const startedAt = rig.gatewayClock.steadyMs();
    await untilServedBy(rig, second);
    const tookMs = rig.gatewayClock.steadyMs() - startedAt;
    figure("without a boundary, by the gateway's clock", tookMs);
    expect(tookMs).toBeGreaterThan(17 * SECOND);
  } finally {
    await rig.close();
  }
}, 90_000);
