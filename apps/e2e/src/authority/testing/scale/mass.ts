import { expect } from 'vitest';
import { milliseconds, record } from '../../rig/figures.ts';
import { startInstallation } from '../../rig/installation.ts';
import { startAgain } from '../../rig/start-again.ts';
import { sleep, until } from '../../rig/until.ts';
import { type Crowd, registerMany, startCrowd } from '../../scale/crowd.ts';
import { sessionsOf } from '../faults/gateways.ts';

const COUNT = 1_000;
const EACH = COUNT / 2;
const LOOK_EVERY_MS = 100;
/** The wait that a lost shared owner costs, and the suspicion before it. */
const TAKEOVER_WAIT_MS = 19_000;

/** A gateway with hundreds of sessions is asked to end, and then a supervisor with five hundred sandboxes is lost. */
export async function massMoves(): Promise<void> {
  const installation = await startInstallation({ gatewayCount: 2, logLevel: 'warn' });
  let crowd: Crowd | undefined;
  try {
    await registerMany(installation, COUNT);
    crowd = await startCrowd(installation, { processCount: 2, membersEach: 1 });
    const { now } = crowd;
    await until('all are served', () => now().servingCount === COUNT, 120_000);
    await sleep(12_000);

    const counts = await Promise.all(installation.gateways.map(sessionsOf));
    const leaving = installation.gateways[counts[0] === 0 ? 1 : 0];
    const staying = installation.gateways[counts[0] === 0 ? 0 : 1];
    if (leaving === undefined || staying === undefined) throw new Error('two gateways are needed');
    const held = await sessionsOf(leaving);
    const at = performance.now();
    const ended = leaving.end();
    let [most, before, fewest] = [0, await sessionsOf(staying), COUNT];
    while ((await sessionsOf(staying)) < COUNT && performance.now() - at < 20_000) {
      await sleep(LOOK_EVERY_MS);
      const present = await sessionsOf(staying);
      most = Math.max(most, present - before);
      before = present;
      fewest = Math.min(fewest, now().servingCount);
    }
    const what = `a gateway with ${held} sessions drained`;
    milliseconds(what, 'all sessions with the other after', performance.now() - at);
    milliseconds(what, 'the process ended after', await ended);
    record({ case: what, what: 'most sessions taken within 0.1 s', value: most, unit: '', bound: '' });
    record({ case: what, what: 'fewest served meanwhile', value: fewest, unit: '', bound: `${COUNT}` });
    expect(fewest).toBe(COUNT);
    await startAgain(leaving);
    // Past the grace after a gateway came, within which nobody is suspected.
    await sleep(25_000);

    const lostAt = performance.now();
    crowd.kill(0);
    const first = await until('the first is taken over', () => now().hostedCount > EACH, 60_000);
    const last = await until('all are taken over', () => now().servingCount === COUNT, 60_000);
    const lost = `a supervisor with ${EACH} sandboxes lost`;
    milliseconds(lost, 'the first offered after', first, `about ${TAKEOVER_WAIT_MS}: suspicion and wait`);
    milliseconds(lost, 'from the first offered to all served by another', last);
    milliseconds(lost, 'all served after', performance.now() - lostAt);
  } finally {
    await crowd?.close();
    await installation.close();
  }
}
