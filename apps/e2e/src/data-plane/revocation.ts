import { equal, ok } from 'node:assert/strict';
import { switched } from '../http-cases/tunnel-makers.ts';
import { type App, startApp } from '../stage/app.ts';
import { HOST, HOST_B } from '../stage/stage.ts';
import { changed, pause, until } from '../stage/until.ts';
import type { LoadCommand, LoadReport } from './load-client.ts';
import { startChild, startSupervisorChild } from './start-child.ts';

/** Milliseconds from the withdrawal to what the clients saw. */
export interface Measured {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

function measure(fromNs: string, endedAtNs: readonly string[]): Measured {
  const ms = endedAtNs.map((ns) => Number(BigInt(ns) - BigInt(fromNs)) / 1e6).toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Number((ms[Math.min(ms.length - 1, Math.floor(share * ms.length))] ?? Number.NaN).toFixed(1));
  return { count: ms.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

function startLoad() {
  const child = startChild('./load-client.ts');
  const reports = new Map<string, LoadReport>();
  child.on('message', (report: LoadReport) => {
    reports.set(`${report.kind} ${report.host}`, report);
    changed();
  });
  const ask = async (command: LoadCommand, kind: LoadReport['kind'], limitMs: number): Promise<LoadReport> => {
    const key = `${kind} ${command.host}`;
    reports.delete(key);
    child.send(command);
    await until(`the load client: ${key}`, () => reports.has(key), limitMs);
    return reports.get(key) as LoadReport;
  };
  return {
    open: (command: Omit<Extract<LoadCommand, { kind: 'open' }>, 'kind'>) => ask({ ...command, kind: 'open' }, 'opened', 300_000),
    report: (host: string) => ask({ kind: 'report', host }, 'report', 30_000),
    stop: () => child.disconnect(),
  };
}

const streaming = (app: App): void =>
  app.restart((exchange) => {
    if (exchange.target === '/ws') exchange.upgrade(switched());
    else exchange.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n');
  });

/**
 * Withdraws a route under `count` open tunnels and as many streaming answers, while another route of the same sandbox has
 * `count` of both together. What is measured is what the clients see, in a process of their own.
 */
export async function measureRevocation(count: number) {
  const [supervisor, web, api] = await Promise.all([startSupervisorChild(), startApp('web'), startApp('api')]);
  const load = startLoad();
  try {
    for (const app of [web, api]) streaming(app);
    await supervisor.serve('case', { web: web.port, api: api.port });
    const target = { port: supervisor.port, ca: supervisor.ca };
    const doomed = await load.open({ ...target, host: HOST, tunnelCount: count, streamCount: count });
    equal(doomed.failures[0], undefined);
    const other = await load.open({ ...target, host: HOST_B, tunnelCount: count / 2, streamCount: count / 2 });
    equal(other.failures[0], undefined);
    equal((await supervisor.ask('counters')).liveStreamCount, 3 * count);

    const { atNs, cpuMs } = await supervisor.serve('case', { api: api.port });
    let report = await load.report(HOST);
    for (; report.openCount > 0; report = await load.report(HOST)) await pause(20);
    await until('the application is left too', () => web.connections.every((each) => each.ended() || each.closed()), 5_000);

    const untouched = await load.report(HOST_B);
    equal(untouched.openCount, count, 'the other route keeps all of its own');
    equal((await supervisor.ask('counters')).liveStreamCount, count);
    for (const { socket } of api.connections) socket.write('2\r\nho\r\n');
    ok(api.connections.every((each) => !each.ended() && !each.closed()));
    return { cpuMs, tunnels: measure(atNs, report.tunnelsEndedAtNs), streams: measure(atNs, report.streamsEndedAtNs) };
  } finally {
    load.stop();
    await Promise.all([supervisor.stop(), web.close(), api.close()]);
  }
}
