import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A program of ours on given cores, that is spoken to by messages. */
export interface OwnProcess {
  send(message: unknown): void;
  /** The next thing it says; rejects if it ends instead. One at a time. */
  next<T>(): Promise<T>;
  stop(): void;
}

export function startOwn(cores: string, file: URL): OwnProcess {
  const args = ['--conditions=@sallyport/source', '--disable-warning=ExperimentalWarning', fileURLToPath(file)];
  const child = spawn('taskset', ['-c', cores, process.execPath, ...args], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  /** Said before anybody asked. */
  const said: unknown[] = [];
  let asked: PromiseWithResolvers<unknown> | undefined;
  let isOver = false;
  const over = (): Error => new Error(`${fileURLToPath(file)} ended`);
  child.on('message', (message) => {
    if (asked === undefined) said.push(message);
    else asked.resolve(message);
    asked = undefined;
  });
  child.on('exit', () => {
    isOver = true;
    asked?.reject(over());
  });
  return {
    send: (message) => void child.send(message as object),
    async next<T>() {
      if (said.length > 0) return said.shift() as T;
      if (isOver) throw over();
      asked = Promise.withResolvers();
      return (await asked.promise) as T;
    },
    stop: () => void child.disconnect(),
  };
}
