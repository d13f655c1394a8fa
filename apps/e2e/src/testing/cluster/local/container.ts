import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';

/** One container as a process of this machine, started again whenever it ends. */
export interface Container {
  readonly name: string;
  readonly restarts: number;
  pid(): number;
  signal(signal: NodeJS.Signals): void;
  /** Asked to end; by force once its time is over. */
  end(graceMs: number): Promise<void>;
}

export interface ContainerOptions {
  readonly name: string;
  readonly command: readonly string[];
  readonly logFile: string;
  readonly onRestart: () => void;
}

/** The first pause of a kubelet is longer; no case waits for it. */
const AGAIN_MS = 300;

export function startContainer({ name, command, logFile, onRestart }: ContainerOptions): Container {
  const log = createWriteStream(logFile, { flags: 'a' });
  let restarts = 0;
  let isEnding = false;
  let again: NodeJS.Timeout | undefined;
  let child: ChildProcess;
  let ended: Promise<void>;

  function begin(): void {
    const [program, ...args] = command;
    // The channel is never used: that it closes tells our processes that their starter is gone.
    child = spawn(program as string, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env: { PATH: process.env.PATH ?? '' } });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes: Buffer) => void log.write(bytes));
    const { promise, resolve } = Promise.withResolvers<void>();
    ended = promise;
    child.on('error', (error) => log.write(`{"msg":${JSON.stringify(error.message)}}\n`));
    child.once('close', (code, signal) => {
      log.write(`{"msg":"ended","code":${code},"signal":${JSON.stringify(signal)}}\n`);
      resolve();
      if (isEnding) return void log.end();
      again = setTimeout(() => {
        restarts += 1;
        begin();
        onRestart();
      }, AGAIN_MS);
    });
  }

  begin();
  return {
    name,
    get restarts() {
      return restarts;
    },
    pid: () => child.pid ?? -1,
    signal: (signal) => void child.kill(signal),
    async end(graceMs) {
      isEnding = true;
      clearTimeout(again);
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), graceMs);
      if (graceMs === 0) child.kill('SIGKILL');
      await ended;
      clearTimeout(force);
    },
  };
}
