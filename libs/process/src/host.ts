import type { RunningClock } from './clock.ts';
import { createClock } from './clock.ts';
import { createLog, type LogOptions, type RootLog } from './log.ts';

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';
export const STOP_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** What `run` needs of the operating system; tests give another. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly args: readonly string[];
  createClock(): RunningClock;
  createLog(options: LogOptions): RootLog;
  stdout(text: string): void;
  stderr(text: string): void;
  onStopSignal(act: (signal: StopSignal) => void): void;
  /** Errors that nobody caught, of calls and of promises. */
  onCrash(act: (error: unknown) => void): void;
  exit(code: number): void;
}

export const thisProcess = (): Host => ({
  env: process.env,
  args: process.argv.slice(2),
  createClock,
  createLog,
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  onStopSignal(act) {
    for (const signal of STOP_SIGNALS) process.on(signal, () => act(signal));
    // Started by another process of ours that is gone now, however it ended: nobody else would end this one.
    process.once('disconnect', () => act('SIGTERM'));
  },
  onCrash(act) {
    process.on('uncaughtException', act);
    process.on('unhandledRejection', act);
  },
  exit: (code) => process.exit(code),
});
