import { milliseconds, record } from '../../rig/figures.ts';
import { startInstallation } from '../../rig/installation.ts';
import { startAgain } from '../../rig/start-again.ts';
import { sleep, until } from '../../rig/until.ts';
import { type Crowd, registerMany, startCrowd } from '../../scale/crowd.ts';
import { usageOf } from '../../scale/usage.ts';
import { sessionsOf } from '../faults/gateways.ts';

export interface ManyMembers {
  readonly processCount: number;
  readonly membersEach: number;
}

const STEADY_MS = 20_000;

/** Many supervisors with one sandbox each, all joined to one gateway: what their pings cost, and how soon they leave it when it is stopped. */
export async function manyMembers(scale: ManyMembers): Promise<void> {
  const count = scale.processCount * scale.membersEach;
  const name = `${count} members on one gateway`;
  const installation = await startInstallation({ gatewayCount: 2, logLevel: 'warn' });
  let crowd: Crowd | undefined;
  try {
    const [first, second] = installation.gateways;
    if (first === undefined || second === undefined) throw new Error('two gateways are needed');
    await second.end();
    await registerMany(installation, count);
    crowd = await startCrowd(installation, scale);
    const { now } = crowd;
    await until('all are served', () => now().servingCount === count, 300_000);
    await startAgain(second);
    await sleep(5_000);

    const before = await usageOf(first.pid());
    await sleep(STEADY_MS);
    const after = await usageOf(first.pid());
    const cpu = ((after.cpuSeconds - before.cpuSeconds) / STEADY_MS) * 100_000;
    record({ case: name, what: 'gateway CPU', value: Math.round(cpu), unit: '% of one core', bound: '' });
    record({ case: name, what: 'gateway memory', value: Math.round(after.memoryMb), unit: 'MB', bound: '' });

    first.signal('SIGSTOP');
    let passed = 0;
    for (const [what, share] of [
      ['the first', 0],
      ['half', 0.5],
      ['nine of ten', 0.9],
      ['all', 1],
    ] as const) {
      const wanted = Math.max(1, share * count);
      passed += await until(`${what} have another gateway`, async () => (await sessionsOf(second)) >= wanted, 60_000);
      milliseconds(name, `it is stopped: ${what} have their session with another after`, passed);
    }
    first.signal('SIGCONT');
  } finally {
    await crowd?.close();
    await installation.close();
  }
}
