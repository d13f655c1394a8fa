export { accepts } from './accepts.ts';
export { type Admin, type AdminOptions, type ReadyCheck, startAdmin } from './admin.ts';
export { backoffMs } from './backoff.ts';
export { type Cancel, type Clock, createClock, type Machine, nodeMachine, type RunningClock } from './clock.ts';
export { type Reading, readAll, type Source } from './config.ts';
export type { Host, StopSignal } from './host.ts';
export { CannotStart, cannotListen, listen } from './listen.ts';
export {
  createLog,
  LOG_LEVELS,
  type Log,
  type LogFields,
  type LogLevel,
  type LogLine,
  type LogOptions,
  type RootLog,
} from './log.ts';
export {
  type Counter,
  createMetrics,
  DURATION_BUCKETS_SECONDS,
  type Gauge,
  type Histogram,
  type Metrics,
  type MetricsOptions,
} from './metrics.ts';
export { type ProcessConfig, readProcess } from './process-config.ts';
export { randomId, sha256hex } from './random.ts';
export { createRefusals, type Refused } from './refusals.ts';
export { type Announcement, EXIT_FAILED, EXIT_USAGE, type Process, type Running, run } from './run.ts';
export { type Address, formatDuration, type Range } from './setting-kinds.ts';
export type { Given, Presence, Reader } from './settings.ts';
export { VERSION } from './version.ts';
export { wait } from './wait.ts';
