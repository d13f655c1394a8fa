import pino from 'pino';
import { redactFields, redactText } from './redact.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Facts of a line. Keys are ids' names (`sandboxId`, `ownerEpoch`), never names of things; an error goes under `err`. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface LogLine {
  (fields: LogFields, text: string): void;
  (text: string): void;
}

/** One JSON object a line: `time` (ISO), `level`, the fields, `msg`. Secrets are redacted, see redact.ts. */
export interface Log {
  readonly trace: LogLine;
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
  readonly fatal: LogLine;
  /** A log whose lines all carry these fields. */
  child(fields: LogFields): Log;
  isLevelEnabled(level: LogLevel): boolean;
}

export interface RootLog extends Log {
  /** Ends when all lines so far are with the operating system. */
  flush(): Promise<void>;
  /** The same, without leaving the caller: for the last line of a process that is broken. */
  flushSync(): void;
}

export interface LogOptions {
  readonly level: LogLevel;
  /** On each line; for example `{ app: 'gateway' }`. */
  readonly fields?: LogFields;
  /** Takes whole lines. By default stderr: stdout is for what a command was asked to print. */
  readonly destination?: { write(line: string): void };
}

/**
 * Lines waiting for a reader of stderr that has stopped. Past it lines are dropped and counted: a stuck log collector
 * must not stop the data plane, which a blocking write would.
 */
const BACKLOG_BYTES_MAX = 4 * 1024 * 1024;

export function createLog({ level, fields = {}, destination }: LogOptions): RootLog {
  // With a minimum length of 1 lines leave at once, and `flush` waits for them; with 0 it would not.
  const stderr =
    destination === undefined
      ? pino.destination({ dest: 2, sync: false, minLength: 1, maxLength: BACKLOG_BYTES_MAX })
      : undefined;
  const logger = pino(
    {
      level,
      base: redactFields(fields),
      timestamp: pino.stdTimeFunctions.isoTime,
      // pino would write `err` through a serializer of its own after the fields were cleaned.
      serializers: { err: (value: unknown) => value },
      formatters: { level: (label) => ({ level: label }), bindings: redactFields, log: redactFields },
      hooks: {
        logMethod(args, method) {
          const last = args.length - 1;
          const text: unknown = args[last];
          if (typeof text === 'string') args[last] = redactText(text);
          method.apply(this, args);
        },
      },
    },
    stderr ?? (destination as { write(line: string): void }),
  );
  if (stderr !== undefined) countDropped(stderr, logger);
  return Object.assign(redactChildren(logger), {
    flush: () => new Promise<void>((resolve) => (stderr === undefined ? resolve() : stderr.flush(() => resolve()))),
    flushSync: () => {
      try {
        stderr?.flushSync();
      } catch {
        // Nobody reads stderr any more; that must not keep the process from ending.
      }
    },
  });
}

function countDropped(stderr: ReturnType<typeof pino.destination>, log: pino.Logger): void {
  let droppedCount = 0;
  stderr.on('drop', () => {
    droppedCount += 1;
  });
  stderr.on('drain', () => {
    if (droppedCount === 0) return;
    const count = droppedCount;
    droppedCount = 0;
    log.warn({ droppedCount: count }, 'log lines were dropped: stderr is not read fast enough');
  });
}

/** pino does not pass the fields of children through the formatters of their parent. */
function redactChildren(logger: pino.Logger): Log {
  const makeChild = logger.child.bind(logger);
  const child = (fields: LogFields): Log => redactChildren(makeChild(redactFields(fields)));
  return Object.assign(logger as Log, { child });
}
