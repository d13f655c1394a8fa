import { writeFileAtomic } from '@sallyport/files';
import { type Instant, later } from '@sallyport/model';
import { type ReadyCheck, startAdmin } from './admin.ts';
import type { Clock } from './clock.ts';
import type { Reading, Source } from './config.ts';
import { type Host, type StopSignal, thisProcess } from './host.ts';
import { CannotStart, cannotListen } from './listen.ts';
import type { Log, RootLog } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import type { ProcessConfig } from './process-config.ts';
import { observeProcess } from './process-metrics.ts';
import { randomId } from './random.ts';
import type { Address } from './setting-kinds.ts';
import { exitCodeOf, judgeStop } from './stop.ts';
import { VERSION } from './version.ts';
import { wait } from './wait.ts';

/** What a process gives to its parts. */
export interface Process {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly randomId: () => string;
  /**
   * Aborted at the first signal to end, before `drain` is called: for waits of the start and for loops that need no drain.
   * A `wire` that is still at work then undoes what it began and throws whatever it likes; the process ends with 0.
   */
  readonly stopping: AbortSignal;
  /** Where health and metrics are served. */
  readonly admin: Address;
}

/** A wired process. */
export interface Running {
  ready(): readonly ReadyCheck[];
  /** Accepts nothing new and lets what runs end; ends by force what is left when `deadline` aborts. Resolves when all is closed. */
  drain(deadline: AbortSignal): Promise<void>;
  /** Settles only if something ended that must not: the process then exits with 1, for a silent half is worse than a restart. */
  readonly stopped?: Promise<unknown>;
  /** What listens where, by the name of the port; for `--announce-file`. */
  readonly listens?: Readonly<Record<string, Address>>;
}

export const EXIT_FAILED = 1;
/** EX_USAGE of sysexits.h. */
export const EXIT_USAGE = 64;

/** After the drain's deadline, how long the closing itself may take. */
const CLOSING_MS = 2_000;
/** Asked to end while starting: how long `wire` may take to undo what it began, once `stopping` told it; much, for what is cut stays. */
const UNWIRING_MS = 2_000;
/** How long the last log lines may take to leave. */
const FLUSH_MS = 500;

/**
 * The life of a process: reads the configuration before any port is bound, wires, serves health and metrics, waits for a
 * signal, drains with a deadline, exits. Exit codes: 0 ended as asked, 1 failed, 64 wrong configuration, 128 + signal
 * when a second signal cut the drain short. `usage` is how people call it, where that is not its name.
 */
export async function run<C extends { readonly process: ProcessConfig }>(
  called: string | { readonly name: string; readonly usage: string },
  readConfig: (source: Source) => Reading<C>,
  wire: (config: C, process: Process) => Promise<Running>,
  host: Host = thisProcess(),
): Promise<void> {
  const { name, usage } = typeof called === 'string' ? { name: called, usage: called } : called;
  const reading = readConfig({ env: host.env, args: host.args });
  if (reading.kind !== 'read') return host.exit(answer(name, usage, reading, host));
  const { config } = reading;

  const clock = host.createClock();
  const log = host.createLog({ level: config.process.logLevel, fields: { app: name } });
  const stop = followSignals(host, clock, log);
  host.onCrash((error) => {
    log.fatal({ err: error }, 'ended by an error that nobody caught');
    log.flushSync();
    host.exit(EXIT_FAILED);
  });

  const code = await live();
  clock.stop();
  await Promise.race([log.flush(), new Promise((resolve) => setTimeout(resolve, FLUSH_MS))]);
  host.exit(code);

  async function live(): Promise<number> {
    let running: Running | undefined;
    try {
      const metrics = createMetrics({ runtime: true });
      const ready = (): readonly ReadyCheck[] => running?.ready() ?? [{ name: 'started', ok: false, detail: 'starting' }];
      const readyNow = (): readonly ReadyCheck[] =>
        stop.signal.aborted ? [{ name: 'running', ok: false, detail: 'draining' }, ...ready()] : ready();
      const admin = await startAdmin({ address: config.process.adminListen, metrics, ready: readyNow });
      observeProcess(metrics, { app: name, version: VERSION, ready: readyNow, clockJumpCount: () => clock.jumpCount() });
      log.info({ version: VERSION, admin: admin.address }, 'starting');
      const wired = wire(config, { clock, log, metrics, randomId, stopping: stop.signal, admin: admin.address });
      const leftBehind = stop.requested.then(() => wait(clock, UNWIRING_MS)).then(() => undefined);
      running = await Promise.race([wired, leftBehind]);
      if (running === undefined) return 0;
      await announce(config.process.announceFile, admin.address, running);
    } catch (error) {
      return stop.signal.aborted ? 0 : reportStart(name, error, host, log);
    }
    log.info('running');
    const ended = running.stopped === undefined ? NEVER_ENDS : settled(running.stopped);
    const why = await Promise.race([stop.requested, ended]);
    if (why !== 'asked') {
      log.fatal({ err: why.error }, 'a part ended that must not end');
      return EXIT_FAILED;
    }
    return drain(running, config.process.drainMs, clock, log);
  }
}

/** What an `--announce-file` holds. */
export interface Announcement {
  readonly pid: number;
  readonly admin: Address;
  readonly listens: Readonly<Record<string, Address>>;
}

async function announce(file: string | undefined, admin: Address, { listens = {} }: Running): Promise<void> {
  if (file === undefined) return;
  const announcement: Announcement = { pid: process.pid, admin, listens };
  await writeFileAtomic(file, `${JSON.stringify(announcement)}\n`, 0o644);
}

const NEVER_ENDS = new Promise<never>(() => undefined);

const settled = (promise: Promise<unknown>): Promise<{ readonly error: unknown }> =>
  promise.then(
    () => ({ error: undefined }),
    (error: unknown) => ({ error }),
  );

function answer(name: string, usage: string, reading: Exclude<Reading<unknown>, { kind: 'read' }>, host: Host): number {
  switch (reading.kind) {
    case 'help':
      host.stdout(`Usage: ${usage} [options]\n\n${reading.text}\n`);
      return 0;
    case 'version':
      host.stdout(`${name} ${VERSION}\n`);
      return 0;
    case 'invalid':
      for (const problem of reading.problems) host.stderr(`${name}: ${problem}\n`);
      return EXIT_USAGE;
  }
}

function followSignals(host: Host, clock: Clock, log: RootLog) {
  const stopping = new AbortController();
  const requested = Promise.withResolvers<'asked'>();
  let firstAt: Instant | undefined;
  host.onStopSignal((signal: StopSignal) => {
    const now = clock.now();
    switch (judgeStop(firstAt, now)) {
      case 'drain':
        firstAt = now;
        log.info({ signal }, 'asked to end');
        stopping.abort();
        return requested.resolve('asked');
      case 'at-once':
        log.warn({ signal }, 'asked to end again: ending at once');
        log.flushSync();
        return host.exit(exitCodeOf[signal]);
      case 'repeat':
        return;
    }
  });
  return { signal: stopping.signal, requested: requested.promise };
}

function reportStart(name: string, error: unknown, host: Host, log: Log): number {
  const known = knownStartError(error);
  if (known === undefined) log.fatal({ err: error }, 'cannot start');
  // What a library quotes of a file may have line ends.
  else host.stderr(`${name}: ${known.message.replaceAll(/\s*[\r\n]\s*/g, ' ')}\n`);
  return EXIT_FAILED;
}

/** Also a bare error of `net.Server.listen`, from a library that binds by itself. */
function knownStartError(error: unknown): CannotStart | undefined {
  if (error instanceof CannotStart) return error;
  if (!(error instanceof Error)) return undefined;
  const { syscall, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (syscall !== 'listen' || address === undefined || port === undefined) return undefined;
  return cannotListen(error, { host: address, port }, 'listen');
}

async function drain(running: Running, drainMs: number, clock: Clock, log: Log): Promise<number> {
  const deadline = new AbortController();
  const hung = Promise.withResolvers<'hung'>();
  const startedAt = clock.now();
  clock.at(later(startedAt, drainMs), () => {
    log.warn({ drainMs }, 'the drain took too long: ending what is left');
    deadline.abort();
  });
  clock.at(later(startedAt, drainMs + CLOSING_MS), () => hung.resolve('hung'));
  try {
    const outcome = await Promise.race([running.drain(deadline.signal), hung.promise]);
    if (outcome === 'hung') {
      log.error({ drainMs }, 'closing took too long: ended without it');
      return EXIT_FAILED;
    }
  } catch (error) {
    log.error({ err: error }, 'the drain failed');
    return EXIT_FAILED;
  }
  log.info({ drainedMs: Math.round(clock.now() - startedAt) }, 'ended');
  return 0;
}
