import { fileURLToPath } from 'node:url';
import { runToEnd } from './run-to-end.ts';
import type { Target } from './target.ts';

export interface WrkOptions {
  readonly path: string;
  readonly connectionCount: number;
  /** wrk knows whole seconds only. */
  readonly seconds: number;
  readonly uploadBytes?: number;
  readonly newConnections?: boolean;
}

export interface WrkReport {
  readonly requests: number;
  /** How long it really took. */
  readonly us: number;
  readonly errors: number;
  readonly medianUs: number;
}

/**
 * wrk is the load wherever a request and its answer are all there is: it costs less for a request than any proxy here, so
 * that the proxy's core is the one that is full. It checks no certificate, and resumes no session, since nobody offers one.
 */
export async function runWrk({ cores, host, port }: Target, options: WrkOptions): Promise<WrkReport> {
  const { path, connectionCount, seconds, uploadBytes = 0, newConnections = false } = options;
  const script = fileURLToPath(new URL('wrk.lua', import.meta.url));
  const args = [
    '-t1',
    `-c${connectionCount}`,
    `-d${seconds}s`,
    '--timeout',
    '30s',
    '-s',
    script,
    `https://${host}:${port}${path}`,
  ];
  const said = await runToEnd(cores.load, 'wrk', [...args, '--', String(uploadBytes), newConnections ? 'close' : 'keep']);
  const line = said.split('\n').find((each) => each.startsWith('{'));
  if (line === undefined) throw new Error(`wrk said nothing of its own: ${said.slice(0, 200)}`);
  return JSON.parse(line) as WrkReport;
}
