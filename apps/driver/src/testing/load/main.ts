import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { declares, putPod } from '@sallyport/kube/testing';
import { openKubeStage } from '../kube-stage.ts';

/**
 * `nx load driver`: the driver in a process of its own against a test API server with many Pods that change all the time. Prints
 * what it costs and how long answers take. A measurement, and no test: it fails for nothing but a list too many or too few. One is
 * due at the start, one for each time that the server forgets its history (`--gone`), and one for each self-check.
 */
const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '5000' },
    changes: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '20' },
    supervisors: { type: 'string', default: '200' },
    gone: { type: 'string', default: '2' },
    'check-each': { type: 'string', default: '10' },
  },
});
const [podCount, changesPerSecond, seconds, supervisorCount, goneCount, checkEachSeconds] = [
  values.pods,
  values.changes,
  values.seconds,
  values.supervisors,
  values.gone,
  values['check-each'],
].map(Number) as [number, number, number, number, number, number];
const TURN_MS = 20;

const stage = await openKubeStage();
const { store } = stage.api;
const uids: string[] = [];
for (let n = 0; n < supervisorCount; n += 1) {
  const shape = { labels: { pool: 'blue' }, ips: [`10.1.${n >> 8}.${n & 255}`], serviceAccount: 'supervisor' };
  uids.push(putPod(store, `sup-${n}`, shape).metadata.uid);
}
/** The time of the change is the name of the service: whoever hears of it knows how late that is. */
const change = (n: number): void =>
  void putPod(store, `box-${n}`, {
    ...declares(`team/box${n}`, `t${Date.now()}=8080`),
    ips: [`10.2.${n >> 8}.${n & 255}`],
    ready: Math.random() < 0.9,
  });
for (let n = 0; n < podCount - supervisorCount; n += 1) change(n);

const child = spawn(process.execPath, ['--conditions=@sallyport/source', join(import.meta.dirname, 'driver-process.ts')], {
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
});
const { url: server } = stage.api;
const checkEveryMs = checkEachSeconds * 1_000;
child.send({ server, caFile: stage.caFile, tokenFile: stage.tokenFile, uids, seconds, checkEveryMs });
await once(child, 'message');

let owed = 0;
let forgotten = 0;
const turning = setInterval(() => {
  for (owed += (changesPerSecond * TURN_MS) / 1_000; owed >= 1; owed -= 1)
    change(Math.floor(Math.random() * (podCount - supervisorCount)));
}, TURN_MS);
const bookmarks = setInterval(() => stage.api.watches.bookmark(), 30_000);
/** Evenly, and not in the last moment: the list that follows shall be counted. */
const forgetting = setInterval(
  () => {
    if (forgotten === goneCount) return;
    forgotten += 1;
    store.compact();
    stage.api.watches.fail(410, 'Expired');
  },
  (seconds * 1_000) / (goneCount + 2),
);
const [result] = (await once(child, 'message')) as [Record<string, string | number>];
clearInterval(turning);
clearInterval(bookmarks);
clearInterval(forgetting);

console.log(`${podCount} Pods, ${changesPerSecond} changes per second, ${supervisorCount} supervisors, ${seconds} s`);
for (const [what, value] of Object.entries(result)) console.log(`  ${what.padEnd(34)}${value}`);
const looks = stage.api.requests.filter((request) => /\/pods\/sup-/.test(request)).length;
console.log(`  ${'looks at single Pods'.padEnd(34)}${looks}`);
const whole = stage.api.requests.filter((request) => /\/pods\?.*limit=/.test(request) && !request.includes('continue=')).length;
console.log(`  ${'lists that the server was asked for'.padEnd(34)}${whole}`);
const due = 1 + forgotten;
const checks = Number(result['self-checks']);
// One check more may have begun and not ended yet.
if (result.lists !== due || whole < due + checks || whole > due + checks + 1) {
  console.error(`${result.lists} lists and ${whole} asked for, where ${due} were due and ${checks} checks were made`);
  process.exitCode = 1;
}
child.disconnect();
await once(child, 'exit');
await stage.close();
