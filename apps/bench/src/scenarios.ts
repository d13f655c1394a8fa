import { runCurl } from './load/curl.ts';
import type { Target } from './load/target.ts';
import type { Work } from './load/work.ts';
import { runWrk, type WrkOptions, type WrkReport } from './load/wrk.ts';
import type { Usage } from './measure/process-tree.ts';
import type { Ran } from './measure/ran.ts';

/** One kind of work, the same for every proxy. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  /** Whether a large figure is the good one. */
  readonly better: 'more' | 'less';
  /** One unit of work, for the processor time. */
  readonly op: string;
  readonly needs?: 'wrk' | 'curl';
  /** Where more rounds would say nothing more. */
  readonly roundsMax?: number;
  /** First runs, of which nothing is told: programs are compiled and connections opened. Without any, each run has a new process. */
  readonly warmUpRuns: number;
  run(target: Target): Promise<Ran>;
}

const MEBIBYTE = 1_024 * 1_024;
const SMALL = '/small';
const IDLE_TUNNELS = 5_000;
/** What was only needed to open the tunnels may be given back first. */
const SETTLES_MS = 10_000;

export const scenarios: readonly Scenario[] = [
  byWrk('small', 'small answers, 32 connections kept', { path: SMALL, connectionCount: 32, seconds: 2 }),
  {
    ...byWrk(
      'latency',
      'small answers, one connection',
      { path: SMALL, connectionCount: 1, seconds: 1 },
      (report) => report.medianUs,
    ),
    unit: 'µs',
    better: 'less',
  },
  byWrk('down-1m', '1 MiB down, 8 connections', { path: '/bytes/1', connectionCount: 8, seconds: 2 }),
  byWrk('up-1m', '1 MiB up, 8 connections', { path: '/sink', connectionCount: 8, seconds: 2, uploadBytes: MEBIBYTE }),
  byCurl('down-100m', '100 MiB down, one connection', 'down'),
  byCurl('up-100m', '100 MiB up, one connection', 'up'),
  {
    ...byWrk('tls', 'new TLS connections, one request each', {
      path: SMALL,
      connectionCount: 16,
      seconds: 3,
      newConnections: true,
    }),
    // What a connection runs through is much code that runs once: the last of it is compiled after some thirty thousand of them.
    warmUpRuns: 8,
    unit: 'connections/s',
    op: 'connection',
  },
  byClient('ws-64', '100 tunnels, echo of 64 B', 'messages/s', 'message', { kind: 'echo', count: 100, bytes: 64, seconds: 1 }),
  byClient('ws-64k', '100 tunnels, echo of 64 KiB', 'messages/s', 'message', {
    kind: 'echo',
    count: 100,
    bytes: 65_536,
    seconds: 1,
  }),
  byClient('sse', 'events to 1,000 readers', 'events/s', 'event', { kind: 'events', count: 1_000, seconds: 1 }),
  {
    name: 'idle',
    title: '5,000 idle tunnels',
    unit: 'KB each',
    better: 'less',
    op: 'tunnel opened',
    roundsMax: 1,
    warmUpRuns: 0,
    async run(target) {
      const before = target.usage();
      let after = before;
      await target.client.run(target, { kind: 'hold', count: IDLE_TUNNELS }, async () => {
        await new Promise((resolve) => setTimeout(resolve, SETTLES_MS));
        after = target.usage();
      });
      const kilobytes = (after.residentBytes - before.residentBytes) / IDLE_TUNNELS / 1_000;
      return { value: kilobytes, opCount: IDLE_TUNNELS, cpuUs: after.cpuUs - before.cpuUs };
    },
  },
];

const perSecond = (count: number, us: number): number => (count / us) * 1_000_000;

function byWrk(
  name: string,
  title: string,
  options: WrkOptions,
  figureOf = ({ requests, us }: WrkReport): number => perSecond(requests, us),
): Scenario {
  return {
    ...{ name, title, unit: 'requests/s', better: 'more', op: 'request', needs: 'wrk', warmUpRuns: 1 },
    async run(target) {
      const { report, cpuUs } = await watched(target, () => runWrk(target, options));
      if (report.errors > 0) throw new Error(`${report.errors} of ${report.requests} requests failed`);
      if (report.requests === 0) throw new Error('not one request was answered');
      return { value: figureOf(report), opCount: report.requests, cpuUs };
    },
  };
}

const LARGE_MEBIBYTES = 100;

function byCurl(name: string, title: string, direction: 'down' | 'up'): Scenario {
  return {
    ...{ name, title, unit: 'MiB/s', better: 'more', op: 'body', needs: 'curl', warmUpRuns: 1 },
    async run(target) {
      const { report, cpuUs } = await watched(target, () => runCurl(target, LARGE_MEBIBYTES, direction));
      return { value: (report.bodyCount * LARGE_MEBIBYTES) / report.seconds, opCount: report.bodyCount, cpuUs };
    },
  };
}

function byClient(name: string, title: string, unit: string, op: string, work: Work): Scenario {
  return {
    ...{ name, title, unit, better: 'more', op, warmUpRuns: 1 },
    async run(target) {
      let before: Usage = target.usage();
      const { count, us } = await target.client.run(target, work, () => {
        before = target.usage();
      });
      return { value: perSecond(count, us), opCount: count, cpuUs: target.usage().cpuUs - before.cpuUs };
    },
  };
}

async function watched<T>({ usage }: Target, run: () => Promise<T>): Promise<{ report: T; cpuUs: number }> {
  const before = usage();
  const report = await run();
  return { report, cpuUs: usage().cpuUs - before.cpuUs };
}
