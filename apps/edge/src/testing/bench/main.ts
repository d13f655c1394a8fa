import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { err, ok, type Result } from '@sallyport/model';
import { readAll } from '@sallyport/process';
import { freePorts } from '@sallyport/store/etcd-process';
import { createTestAuthority } from '@sallyport/wire/testing';
import { HELLO, holdConnections, openConnections, startBytes } from './client.ts';
import { connectionsThatFit } from './descriptors.ts';
import { serveDiscovery } from './discovery.ts';
import { noFigures, tableOf, type Way } from './figures.ts';
import { INSTALL, type Place, type Subject, startEdge, startHaproxy, startNginx } from './subjects.ts';
import { cpuMs, residentMiB } from './usage.ts';

/**
 * `npx nx run edge:bench`: the edge beside nginx (ssl_preread) and HAProxy (TCP mode), on the same work in the same run, round
 * about. Figures per processor time are what one core can do; the load itself has the other one.
 */
const MEASURES = ['down', 'up', 'new', 'idle'] as const;
const SUBJECTS = ['edge', 'nginx', 'haproxy'] as const;
const oneOf =
  <const T extends string>(names: readonly T[]) =>
  (text: string): Result<T, string> => {
    const found = names.find((name) => name === text);
    return found === undefined ? err(`${text} is none of ${names.join(', ')}`) : ok(found);
  };
const reading = readAll({ env: {}, args: process.argv.slice(2) }, (read) => ({
  rounds: read.integer('rounds', 'Of each measurement.', { min: 1, max: 100, otherwise: 5 }),
  bytesMs: read.duration('bytes-time', 'One measurement of bytes.', { min: 200, otherwise: 1_500 }),
  connections: read.integer('connections', 'Opened in one measurement of new connections.', { min: 100, otherwise: 5_000 }),
  idle: read.integer('idle', 'Connections that are held for the memory; fewer where file descriptors are too few.', {
    min: 1,
    max: 19_000,
    otherwise: 10_000,
  }),
  measure: read.list('measure', 'What to measure.', oneOf(MEASURES), { max: 4, placeholder: 'WHAT', otherwise: MEASURES }),
  only: read.list('only', 'Which of the subjects.', oneOf(SUBJECTS), { max: 3, placeholder: 'NAME', otherwise: SUBJECTS }),
}));
if (reading.kind !== 'read') {
  for (const line of reading.kind === 'invalid' ? reading.problems : reading.kind === 'help' ? [reading.text] : [])
    console.log(line);
  process.exit(reading.kind === 'invalid' ? 64 : 0);
}
const options = reading.config;
const [BYTES_CONNECTIONS, AT_ONCE] = [8, 32];
/** A compiler that learns needs some thousand connections. */
const WARM_UP_ROUNDS = 2;

const idleCount = Math.min(options.idle, await connectionsThatFit());
if (idleCount < options.idle) console.log(`file descriptors are enough for ${idleCount} idle connections`);

const folder = mkdtempSync(join(tmpdir(), 'sallyport-edge-bench-'));
const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
try {
  const backend = await startBackend();
  const authority = await createTestAuthority();
  const files = await authority.issue('loopback', { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
  const discovery = await serveDiscovery(files, backend.port);
  closing.push(() => discovery.close());
  if (availableParallelism() < 2) console.log('only one processor: the load measures itself');
  const places = (await freePorts(3)).map((port, index): Place => {
    const own = join(folder, String(index));
    mkdirSync(own);
    return { folder: own, backendPort: backend.port, port, core: '0' };
  }) as [Place, Place, Place];
  const followed = { target: discovery.target, caFile: files.caFile };
  const start: Record<(typeof SUBJECTS)[number], () => Promise<Subject | undefined>> = {
    edge: () => startEdge(places[0], followed),
    nginx: () => startNginx(places[1], idleCount),
    haproxy: () => startHaproxy(places[2], idleCount),
  };
  const subjects: Subject[] = [];
  for (const name of options.only) {
    const subject = await start[name]();
    if (subject === undefined) console.log(`left out: ${name} (${INSTALL[name]})`);
    else subjects.push(subject);
  }
  closing.push(() => Promise.all(subjects.map((subject) => subject.stop())));
  await sleep(1_500);
  await measure(subjects);
} finally {
  for (const act of closing.reverse()) await act();
}
process.exit(0);

async function startBackend(): Promise<{ readonly port: number }> {
  const child: ChildProcess = fork(new URL('backend.ts', import.meta.url), [String(HELLO.length)], {
    execArgv: ['--conditions=@sallyport/source'],
  });
  closing.push(() => child.kill());
  const [address] = (await once(child, 'message')) as [{ port: number }];
  return address;
}

async function measure(subjects: readonly Subject[]): Promise<void> {
  const figures = new Map(subjects.map((subject) => [subject, noFigures(subject)]));
  // The first rounds warm up: what they find is dropped.
  for (let round = 1 - WARM_UP_ROUNDS; round <= options.rounds; round += 1) {
    for (const [subject, of] of figures) {
      for (const way of options.measure.filter((each) => each === 'down' || each === 'up')) {
        const { mib, seconds, cpuSeconds } = await moveBytes(subject, way);
        if (round <= 0) continue;
        of.bytes[way].mibPerSecond.push(mib / seconds);
        of.bytes[way].mibPerCpuSecond.push(mib / cpuSeconds);
      }
      if (!options.measure.includes('new')) continue;
      const before = cpuMs(subject.pid);
      const { ms, failed } = await openConnections(subject.port, AT_ONCE, options.connections);
      const cpu = cpuMs(subject.pid) - before;
      of.failed += failed;
      if (round <= 0) continue;
      of.newPerSecond.push((options.connections / ms) * 1_000);
      of.cpuUsPerNew.push((cpu * 1_000) / options.connections);
    }
  }
  if (options.measure.includes('idle')) {
    for (const [subject, of] of figures) {
      const held = await holdConnections(subject.port, idleCount);
      of.idle = { mib: residentMiB(subject.pid), open: held.open };
      held.close();
      await sleep(1_000);
    }
  }
  console.log(tableOf(figures));
}

async function moveBytes({ port, pid }: Subject, way: Way) {
  const moving = startBytes(port, BYTES_CONNECTIONS, way);
  await sleep(300);
  const [from, cpuFrom, startedAt] = [moving.bytes(), cpuMs(pid), performance.now()];
  await sleep(options.bytesMs);
  const moved = { mib: (moving.bytes() - from) / 1_048_576, cpuSeconds: (cpuMs(pid) - cpuFrom) / 1_000 };
  const seconds = (performance.now() - startedAt) / 1_000;
  moving.stop();
  await sleep(300);
  return { ...moved, seconds };
}
