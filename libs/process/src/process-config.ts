import { LOG_LEVELS, type LogLevel } from './log.ts';
import type { Address } from './setting-kinds.ts';
import type { Reader } from './settings.ts';

/** What every process needs; part of each app's config as `process`. */
export interface ProcessConfig {
  readonly logLevel: LogLevel;
  /** Health and metrics, plain HTTP. */
  readonly adminListen: Address;
  /** How long running work may go on after a signal, milliseconds. */
  readonly drainMs: number;
  /** Written once everything listens, for whoever started this process on ports of its own choice. */
  readonly announceFile?: string | undefined;
}

/** `adminPort` differs by app, so that all of them can run on one machine with their defaults. */
export const readProcess = (read: Reader, { adminPort }: { readonly adminPort: number }): ProcessConfig => ({
  logLevel: read.choice('log-level', 'The least serious lines to log.', LOG_LEVELS, { otherwise: 'info' }),
  // Loopback: the port shows internals and asks nobody who they are.
  adminListen: read.address('admin-listen', 'Where health and metrics are served, as plain HTTP.', {
    otherwise: { host: '127.0.0.1', port: adminPort },
  }),
  drainMs: read.duration('drain', 'How long running work may go on after a signal to end.', {
    min: 0,
    max: 3_600_000,
    otherwise: 10_000,
  }),
  announceFile: read.text(
    'announce-file',
    'File to write once everything listens, as JSON: the process id and the bound addresses.',
    {
      optional: true,
    },
  ),
});
