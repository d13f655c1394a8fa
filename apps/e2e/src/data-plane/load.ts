import { switched } from '../http-cases/tunnel-makers.ts';
import type { App } from '../stage/app.ts';
import { changed, pause, until } from '../stage/until.ts';
import type { LoadCommand, LoadReport } from './load-client.ts';
import { startChild } from './start-child.ts';

/** Milliseconds from the withdrawal to what the clients saw. */
export interface Measured {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export function measure(fromNs: string, endedAtNs: readonly string[]): Measured {
  const ms = endedAtNs.map((ns) => Number(BigInt(ns) - BigInt(fromNs)) / 1e6).toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Number((ms[Math.min(ms.length - 1, Math.floor(share * ms.length))] ?? Number.NaN).toFixed(1));
  return { count: ms.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** A client in a process of its own, with as many connections as it is told. */
export function startLoad() {
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
    async allEnded(host: string): Promise<LoadReport> {
      for (;;) {
        const report = await ask({ kind: 'report', host }, 'report', 30_000);
        if (report.openCount === 0) return report;
        await pause(20);
      }
    },
    stop: () => child.disconnect(),
  };
}

/** Answers `/ws` with a tunnel, all else with a stream that does not end. */
export const streaming = (app: App): void =>
  app.restart((exchange) => {
    if (exchange.target === '/ws') exchange.upgrade(switched());
    else exchange.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n');
  });
