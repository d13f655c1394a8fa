import { closeSync, mkdtempSync, openSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runToEnd } from './run-to-end.ts';
import type { Target } from './target.ts';

/** How many of a run's bodies travel behind each other on one connection. */
const BODY_COUNT = 3;

export interface CurlReport {
  readonly bodyCount: number;
  readonly seconds: number;
}

/**
 * curl is the load for large bodies: a whole number of them, where a run of some seconds would end within one. It checks
 * the certificate, reads and drops, or sends zeros.
 */
export async function runCurl(target: Target, megabytes: number, direction: 'down' | 'up'): Promise<CurlReport> {
  const { cores, host, port, caFile } = target;
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  try {
    const zeros = join(folder, 'zeros');
    closeSync(openSync(zeros, 'w'));
    truncateSync(zeros, megabytes * 1_024 * 1_024);
    const url = `https://${host}:${port}${direction === 'down' ? `/bytes/${megabytes}` : '/sink'}`;
    const common = ['--silent', '--show-error', '--fail', '--http1.1', '--cacert', caFile];
    const perBody = ['--output', '/dev/null', ...(direction === 'up' ? ['--upload-file', zeros] : []), url];
    const said = await runToEnd(cores.load, 'curl', [
      ...common,
      ...['--resolve', `${host}:${port}:127.0.0.1`, '--header', 'Expect:', '--write-out', '%{time_total}\\n'],
      ...Array.from({ length: BODY_COUNT }, () => perBody).flat(),
    ]);
    const seconds = said.trim().split('\n').map(Number);
    if (seconds.length !== BODY_COUNT) throw new Error(`curl told ${seconds.length} times, not ${BODY_COUNT}`);
    return { bodyCount: BODY_COUNT, seconds: seconds.reduce((sum, each) => sum + each, 0) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
