import { expect, test } from 'vitest';
import { startRig } from './rig.ts';
import { figure, SECOND, untilServedBy } from './served.ts';

test('T22: a dedicated supervisor in a crash loop serves each time at once, where its driver knows that no two live', async () => {
  const rig = await startRig({ withBoundary: false, mode: 'dedicated', exclusive: true });
  try {
    const member = await rig.member('pod-1');
    await untilServedBy(rig, member);
    for (let crash = 1; crash <= 3; crash += 1) {
      await member.process.kill();
      await member.process.start();
      const tookMs = await untilServedBy(rig, member);
      figure(`a dedicated supervisor serves after crash ${crash}`, tookMs);
      // The wait for a dedicated owner is 33 s, and nobody is suspected in the first 20 s of a gateway: it did not come to that.
      expect(tookMs).toBeLessThan(15 * SECOND);
    }
  } finally {
    await rig.close();
  }
});
