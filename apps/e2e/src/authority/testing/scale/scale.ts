import { expect } from 'vitest';
import { storeRevision } from '../../rig/evidence.ts';
import { milliseconds, record } from '../../rig/figures.ts';
import { type Installation, startInstallation } from '../../rig/installation.ts';
import { readMetric } from '../../rig/metrics.ts';
import { sleep, until } from '../../rig/until.ts';
import { type Crowd, registerMany, startCrowd } from '../../scale/crowd.ts';
import { usageOf } from '../../scale/usage.ts';

export interface Scale {
  readonly sandboxCount: number;
  readonly processCount: number;
  readonly membersEach: number;
}

/** A whole minute, as the bound says. */
const MINUTE_MS = 60_000;
const TICK_S = 5;
const BUCKET = 1_000;

/** So many sandboxes on one gateway: how they come up, and then a minute in which nothing happens. */
export async function steadyFleet(scale: Scale): Promise<void> {
  const name = `${scale.sandboxCount} sandboxes`;
  const installation = await startInstallation({ gatewayCount: 1, logLevel: 'warn' });
  let crowd: Crowd | undefined;
  try {
    const registering = performance.now();
    await registerMany(installation, scale.sandboxCount);
    milliseconds(name, 'registered and exposed through the operator port in', performance.now() - registering);
    const joining = performance.now();
    crowd = await startCrowd(installation, scale);
    const { now } = crowd;
    await until('all are served', () => now().servingCount === scale.sandboxCount, 600_000);
    milliseconds(name, 'supervisors started to all served', performance.now() - joining);
    await until('all are published', async () => (await published(installation)) === scale.sandboxCount, 60_000);
    await sleep(12_000);
    await steadyMinute(name, installation, crowd, scale);
  } finally {
    await crowd?.close();
    await installation.close();
  }
}

export const published = ({ etcd }: Installation): Promise<number> => etcd.count('/sallyport/v1/installation/');

async function steadyMinute(name: string, installation: Installation, crowd: Crowd, { sandboxCount }: Scale): Promise<void> {
  const [gateway] = installation.gateways;
  const [endpoint] = installation.etcd.endpoints;
  if (gateway === undefined || endpoint === undefined) throw new Error('no gateway, no etcd');
  const pids = [gateway.pid(), ...crowd.pids];
  const before = await Promise.all(pids.map(usageOf));
  const revision = await storeRevision(endpoint);
  const readers = (await readMetric(installation.discovery.adminPort(), 'process_start_time_seconds')) === undefined ? 0 : 1;
  const from = performance.now();
  let [fewest, least] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  while (performance.now() - from < MINUTE_MS) {
    await sleep(500);
    const { servingCount, leastLeftMs } = crowd.now();
    fewest = Math.min(fewest, servingCount);
    least = Math.min(least, leastLeftMs);
  }
  const seconds = (performance.now() - from) / 1_000;
  // A discovery replica's own echo is a write each second, whatever the fleet does.
  const writes = (await storeRevision(endpoint)) - revision - readers * Math.round(seconds);
  const allowed = Math.ceil(sandboxCount / BUCKET) * Math.ceil(seconds / TICK_S + 1);
  const after = await Promise.all(pids.map(usageOf));
  const cpu = after.map(({ cpuSeconds }, index) => ((cpuSeconds - (before[index]?.cpuSeconds ?? 0)) / seconds) * 100);
  record({ case: name, what: 'transactions of the gateway in a minute', value: writes, unit: '', bound: `<= ${allowed}` });
  record({ case: name, what: 'fewest served at any moment', value: fewest, unit: '', bound: `${sandboxCount}` });
  milliseconds(name, 'least time that any lease had left', least, '> 0');
  record({ case: name, what: 'gateway CPU', value: Math.round(cpu[0] ?? 0), unit: '% of one core', bound: '' });
  record({ case: name, what: 'gateway memory', value: Math.round(after[0]?.memoryMb ?? 0), unit: 'MB', bound: '' });
  const crowdCpu = cpu.slice(1).reduce((sum, each) => sum + each, 0);
  record({ case: name, what: 'CPU of all supervisors', value: Math.round(crowdCpu), unit: '% of one core', bound: '' });
  expect(writes).toBeLessThanOrEqual(allowed);
  expect(fewest).toBe(sandboxCount);
  expect(least).toBeGreaterThan(0);
}
