import { once } from 'node:events';
import { createKubeClient, inFile, openCredentials } from '@sallyport/kube';
import { createClock, createLog, wait } from '@sallyport/process';
import { createKubernetesDriver } from '../../kubernetes-driver.ts';
import { DRIVER_OPTIONS } from '../kube-options.ts';

interface Task {
  readonly server: string;
  readonly caFile: string;
  readonly tokenFile: string;
  readonly uids: readonly string[];
  readonly seconds: number;
  readonly checkEveryMs: number;
}

/** Endpoints that are asked for each second. */
const QUESTIONS_PER_SECOND = 1_000;
const TURN_MS = 10;

const [task] = (await once(process, 'message')) as [Task];
const clock = createClock();
const log = createLog({ level: 'error' });
const access = {
  server: task.server,
  ca: inFile(task.caFile),
  token: inFile(task.tokenFile),
  client: undefined,
  serverName: undefined,
};
const credentials = await openCredentials(access, { clock, onProblem: () => undefined });
if (!credentials.ok) throw new Error(credentials.error);
const client = createKubeClient(access, credentials.value);
const startedAt = performance.now();
const driver = createKubernetesDriver(
  { ...DRIVER_OPTIONS, checkEveryMs: task.checkEveryMs },
  {
    client,
    clock,
    log,
    random: Math.random,
    unixMs: Date.now,
    instance: 'load',
  },
);
const late: number[] = [];
let measuring = false;
const synced = Promise.withResolvers<void>();
driver.watchSandboxes((event) => {
  if (event.kind === 'synced') synced.resolve();
  if (event.kind !== 'upserted' || !measuring) return;
  const changedAt = Number(event.workload.services[0]?.service.slice(1));
  if (changedAt > 0) late.push(Date.now() - changedAt);
});
await synced.promise;
const syncMs = performance.now() - startedAt;
process.send?.('synced');
await wait(clock, 500);

measuring = true;
const took: number[] = [];
let refused = 0;
const cpuBefore = process.cpuUsage();
const began = performance.now();
const cancel = clock.every(TURN_MS, () => {
  for (let n = 0; n < (QUESTIONS_PER_SECOND * TURN_MS) / 1_000; n += 1) void ask();
});
async function ask(): Promise<void> {
  const supervisorUid = task.uids[Math.floor(Math.random() * task.uids.length)] ?? '';
  const askedAt = performance.now();
  const answer = await driver.resolveSupervisorAppEndpoint({
    poolId: 'blue',
    memberId: 'm',
    supervisorUid,
    appPort: 8443,
  } as never);
  took.push(performance.now() - askedAt);
  if (!answer.ok) refused += 1;
}
await wait(clock, task.seconds * 1_000);
cancel();
const spent = process.cpuUsage(cpuBefore);
const ranMs = performance.now() - began;
globalThis.gc?.();
const memory = process.memoryUsage();
const { lists, checks, watches, events, differences } = driver.pods.counts();
process.send?.({
  'CPU of one core, %': (((spent.user + spent.system) / 1_000 / ranMs) * 100).toFixed(1),
  'memory (RSS), MiB': (memory.rss / 2 ** 20).toFixed(0),
  'of it heap in use, MiB': (memory.heapUsed / 2 ** 20).toFixed(0),
  'first list until synced, ms': syncMs.toFixed(0),
  'endpoints resolved': took.length,
  'of them refused': refused,
  'resolution p50, ms': percentile(took, 0.5),
  'resolution p99, ms': percentile(took, 0.99),
  'changes told to watchers': late.length,
  'change to watcher p50, ms': percentile(late, 0.5),
  'change to watcher p99, ms': percentile(late, 0.99),
  lists,
  'self-checks': checks,
  watches,
  events,
  'changes lost': differences,
});
driver.stop();
credentials.value.close();
await client.close();
clock.stop();

function percentile(values: number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(3);
}
