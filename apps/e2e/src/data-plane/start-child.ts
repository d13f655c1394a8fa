import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DOMAIN, issueFor, newAuthority } from '../stage/certificate.ts';
import { changed, until } from '../stage/until.ts';
import type { Answer, Command } from './supervisor-process.ts';

/** From the sources, as the tests themselves. */
const EXEC_ARGV = ['--conditions=@sallyport/source', '--expose-gc', '--disable-warning=ExperimentalWarning'];

export function startChild(file: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
  return fork(new URL(file, import.meta.url), {
    execArgv: EXEC_ARGV,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** The data plane in a process of its own, whose memory and end can be looked at. */
export interface SupervisorChild {
  readonly port: number;
  readonly ca: string;
  serve(sandbox: string, services: Readonly<Record<string, number>>): Promise<Answer>;
  ask(kind: 'memory' | 'counters'): Promise<Answer>;
  kill(signal: NodeJS.Signals): void;
  /** Undefined while it lives; then its exit code, or the signal that ended it. */
  ended(): number | NodeJS.Signals | undefined;
  stop(): Promise<void>;
}

type Request = Command extends infer Each ? (Each extends Command ? Omit<Each, 'id'> : never) : never;

export async function startSupervisorChild({ drainMs = 1_000 } = {}): Promise<SupervisorChild> {
  const authority = await newAuthority();
  const { certPem, keyPem } = await issueFor(authority, DOMAIN);
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-e2e-'));
  const [certFile, keyFile] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
  writeFileSync(certFile, certPem);
  writeFileSync(keyFile, keyPem);
  const child = startChild('./supervisor-process.ts', {
    SALLYPORT_ADMIN_LISTEN: '127.0.0.1:0',
    SALLYPORT_CERT_FILE: certFile,
    SALLYPORT_KEY_FILE: keyFile,
    SALLYPORT_DRAIN: `${drainMs}ms`,
    SALLYPORT_LOG_LEVEL: 'error',
  });
  const answers = new Map<number, Answer>();
  let port = 0;
  let ended: number | NodeJS.Signals | undefined;
  let nextId = 1;
  child.on('message', (message: Answer | { readonly port: number }) => {
    if ('port' in message) port = message.port;
    else answers.set(message.id, message);
    changed();
  });
  child.on('exit', (code, signal) => {
    ended = signal ?? code ?? 0;
    rmSync(directory, { recursive: true, force: true });
    changed();
  });
  await until('the supervisor listens', () => port > 0 || ended !== undefined, 20_000);

  async function send(request: Request): Promise<Answer> {
    const id = nextId++;
    child.send({ ...request, id });
    await until(`the supervisor answers ${request.kind}`, () => answers.has(id) || ended !== undefined, 20_000);
    const answer = answers.get(id);
    if (answer === undefined) throw new Error(`the supervisor ended: ${ended}`);
    answers.delete(id);
    return answer;
  }

  return {
    port,
    ca: authority.certPem,
    serve: (sandbox, services) => send({ kind: 'serve', sandbox, services }),
    ask: (kind) => send({ kind }),
    kill: (signal) => void child.kill(signal),
    ended: () => ended,
    async stop() {
      child.kill('SIGTERM');
      await until('the supervisor has ended', () => ended !== undefined, 20_000);
    },
  };
}
