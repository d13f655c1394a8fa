import {
  createClock,
  createLog,
  type Process,
  type ProcessConfig,
  type Reading,
  type Running,
  run,
  type Source,
} from '@sallyport/process';

export interface AppEnded {
  readonly code: number;
  /** On its error output. */
  readonly said: string;
  /** Its errors, as lines of JSON. */
  readonly logged: string;
}

export interface RunningApp {
  /** Rejects if it ends before. */
  readonly running: Promise<void>;
  readonly ended: Promise<AppEnded>;
  stop(): void;
}

/** An app as its `main.ts` runs it, in this process. */
export function runApp<C extends { readonly process: ProcessConfig }>(
  app: string,
  readConfig: (source: Source) => Reading<C>,
  wire: (config: C, process: Process) => Promise<Running>,
  options: Readonly<Record<string, string>>,
): RunningApp {
  const running = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<AppEnded>();
  let stop: () => void = () => undefined;
  let [said, logged] = ['', ''];
  void run(app, readConfig, wire, {
    env: {},
    args: Object.entries({ ...options, 'admin-listen': '127.0.0.1:0', drain: '0ms' }).map(
      ([name, value]) => `--${name}=${value}`,
    ),
    createClock,
    createLog: ({ fields }) =>
      createLog({
        level: 'info',
        ...(fields === undefined ? {} : { fields }),
        destination: {
          write(line) {
            if (line.includes('"msg":"running"')) running.resolve();
            if (/"level":"(error|fatal)"/.test(line)) logged += line;
          },
        },
      }),
    stdout: () => undefined,
    stderr: (text) => {
      said += text;
    },
    onStopSignal: (act) => {
      stop = () => act('SIGTERM');
    },
    onCrash: () => undefined,
    exit(code) {
      running.reject(new Error(`${app} ended with ${code}: ${said}`));
      ended.resolve({ code, said, logged });
    },
  });
  return { running: running.promise, ended: ended.promise, stop: () => stop() };
}
