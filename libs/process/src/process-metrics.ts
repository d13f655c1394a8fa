import type { ReadyCheck } from './admin.ts';
import type { Metrics } from './metrics.ts';

export interface ProcessFacts {
  readonly app: string;
  readonly version: string;
  readonly ready: () => readonly ReadyCheck[];
  readonly clockJumpCount: () => number;
}

/** What every process says about itself, whatever it is for. */
export function observeProcess(metrics: Metrics, { app, version, ready, clockJumpCount }: ProcessFacts): void {
  const info = metrics.gauge('sallyport_process_info', 'Which app of which release this is; always 1.', ['app', 'version']);
  info.set(1, { app, version });
  metrics.observed('sallyport_process_ready', 'Whether every check of /readyz holds: 1 or 0.', () =>
    ready().every(({ ok }) => ok) ? 1 : 0,
  );
  metrics.observed(
    'sallyport_process_clock_jumps',
    'How often the wall clock was seen to run ahead since the start: a machine that was suspended, or a clock that was set.',
    clockJumpCount,
  );
}
