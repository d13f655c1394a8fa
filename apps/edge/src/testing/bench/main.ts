import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readAll } from '@sallyport/process';
import { freePorts } from '@sallyport/store/etcd-process';
import { createTestAuthority } from '@sallyport/wire/testing';
import { HELLO, holdConnections, openConnections, readBytes } from './client.ts';
import { serveDiscovery } from './discovery.ts';
import { INSTALL, type Place, type Subject, startEdge, startHaproxy, startNginx } from './subjects.ts';
import { cpuMs, residentMiB } from './usage.ts';

/**
 * `npx nx run edge:bench`: the edge beside nginx (ssl_preread) and HAProxy (TCP mode), on the same work in the same run, round
 * about. Figures per processor time are what one core can do; the load itself has the other one.
 */
const reading = readAll({ env: {}, args: process.argv.slice(2) }, (read) => ({
  rounds: read.integer('rounds', 'Of each measurement.', { min: 1, max: 100, otherwise: 5 }),
  bytesMs: read.duration('bytes-time', 'One measurement of bytes.', { min: 200, otherwise: 1_500 }),
  connections: read.integer('connections', 'Opened in one measurement of new connections.', { min: 100, otherwise: 5_000 }),
  idle: read.integer('idle', 'Connections that are held for the memory; 0: none.', { min: 0, max: 9_900, otherwise: 9_800 }),
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

interface Figures {
  readonly mibPerSecond: number[];
  readonly mibPerCpuSecond: number[];
  readonly newPerSecond: number[];
  readonly cpuUsPerNew: number[];
  failed: number;
  emptyMiB: number;
  idleMiB: number;
  idleOpen: number;
}

const folder = mkdtempSync(join(tmpdir(), 'sallyport-edge-bench-'));
const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
try {
  const backend = await startBackend();
  const authority = await createTestAuthority();
  const files = await authority.issue('loopback', { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
  const discovery = await serveDiscovery(files, backend.port);
  closing.push(() => discovery.close());
  if (availableParallelism() < 2) console.log('only one processor: the load measures itself');
  const places = (await freePorts(4)).map((port, index): Place => {
    const own = join(folder, String(index));
    mkdirSync(own);
    return { folder: own, backendPort: backend.port, port, core: '0' };
  }) as [Place, Place, Place, Place];
  const followed = { target: discovery.target, caFile: files.caFile };
  const started = {
    edge: await startEdge(places[0], { ...followed, ioUring: true }),
    'edge, no io_uring': await startEdge(places[3], { ...followed, ioUring: false }),
    nginx: await startNginx(places[1]),
    haproxy: await startHaproxy(places[2]),
  };
  const subjects: Subject[] = [];
  for (const [name, subject] of Object.entries(started)) {
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
  const figures = new Map(subjects.map((subject) => [subject, emptyFigures(subject)]));
  // The first rounds warm up: what they find is dropped.
  for (let round = 1 - WARM_UP_ROUNDS; round <= options.rounds; round += 1) {
    for (const [subject, of] of figures) {
      const before = cpuMs(subject.pid);
      const { bytes, ms } = await readBytes(subject.port, BYTES_CONNECTIONS, options.bytesMs);
      const cpu = cpuMs(subject.pid) - before;
      if (round > 0) {
        of.mibPerSecond.push((bytes / 1_048_576 / ms) * 1_000);
        // What was read before the clock started took processor time as well.
        of.mibPerCpuSecond.push((bytes / 1_048_576 / cpu) * 1_000 * ((ms + 300) / ms));
      }
      await sleep(300);
    }
    for (const [subject, of] of figures) {
      const before = cpuMs(subject.pid);
      const { ms, failed } = await openConnections(subject.port, AT_ONCE, options.connections);
      const cpu = cpuMs(subject.pid) - before;
      of.failed += failed;
      if (round <= 0) continue;
      of.newPerSecond.push((options.connections / ms) * 1_000);
      of.cpuUsPerNew.push((cpu * 1_000) / options.connections);
    }
  }
  if (options.idle > 0) {
    for (const [subject, of] of figures) {
      const held = await holdConnections(subject.port, options.idle);
      of.idleMiB = residentMiB(subject.pid);
      of.idleOpen = held.open;
      held.close();
      await sleep(1_000);
    }
  }
  report(figures);
}

function emptyFigures(subject: Subject): Figures {
  return {
    mibPerSecond: [],
    mibPerCpuSecond: [],
    newPerSecond: [],
    cpuUsPerNew: [],
    failed: 0,
    emptyMiB: residentMiB(subject.pid),
    idleMiB: 0,
    idleOpen: 0,
  };
}

function report(figures: ReadonlyMap<Subject, Figures>): void {
  const nginx = [...figures].find(([{ name }]) => name === 'nginx')?.[1];
  const share = (part: number, whole: number): string => (Number.isFinite(part / whole) ? (part / whole).toFixed(2) : '');
  console.log(
    '| | MiB/s | MiB per s of CPU | of nginx | new/s | CPU µs per new | new per CPU, of nginx | failed | memory | idle |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  for (const [{ name }, of] of figures) {
    const cells = [
      median(of.mibPerSecond).toFixed(0),
      median(of.mibPerCpuSecond).toFixed(0),
      nginx === undefined ? '' : share(median(of.mibPerCpuSecond), median(nginx.mibPerCpuSecond)),
      median(of.newPerSecond).toFixed(0),
      median(of.cpuUsPerNew).toFixed(0),
      nginx === undefined ? '' : share(median(nginx.cpuUsPerNew), median(of.cpuUsPerNew)),
      String(of.failed),
      `${of.emptyMiB.toFixed(0)} MiB`,
      `${of.idleMiB.toFixed(0)} MiB with ${of.idleOpen}`,
    ];
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
