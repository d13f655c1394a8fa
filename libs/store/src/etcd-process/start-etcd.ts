import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { endWithUs } from './end-with-us.ts';
import { isHealthy } from './health.ts';

/** One etcd on loopback, as a child of this process: for development and tests, never for production. */
export interface EtcdMemberOptions {
  readonly binary: string;
  readonly name: string;
  /** Keeps the data; the same directory again is the same member again. */
  readonly directory: string;
  readonly clientPort: number;
  readonly peerPort: number;
  /** For health and metrics, without TLS. */
  readonly healthPort: number;
  /** All members, this one too: name to peer port. Alone if left out. */
  readonly cluster?: Readonly<Record<string, number>>;
  readonly tls?: EtcdServerTls;
  /** False is several times faster and forgets what a crash of the machine, not of etcd, would forget. */
  readonly fsync: boolean;
  /** Of a leader; a lost one is noticed after ten times this. Milliseconds. */
  readonly heartbeatMs?: number;
}

/** PEM files; clients must prove themselves with a certificate of the same CA. */
export interface EtcdServerTls {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

export interface EtcdMember {
  readonly pid: number;
  readonly name: string;
  /** `127.0.0.1:<clientPort>`. */
  readonly endpoint: string;
  /** `SIGSTOP` and `SIGCONT` as well. */
  signal(signal: NodeJS.Signals): void;
  /** Resolves when it serves, rejects with its last words when it ended or took longer than `ms`. */
  ready(ms?: number): Promise<void>;
  /** Ends it at once and waits for that. May be called again. */
  kill(): Promise<void>;
  readonly running: boolean;
}

const READY_MS = 20_000;
const ASK_EACH_MS = 50;
const LAST_WORDS_MAX = 4_000;
const HEARTBEAT_MS = 100;

export function startEtcd(options: EtcdMemberOptions): EtcdMember {
  const [program, ...args] = endingWithParent([options.binary, ...argumentsOf(options)]);
  const child = spawn(program as string, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const forget = endWithUs(child);
  let lastWords = '';
  let running = true;
  child.stderr.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString()).slice(-LAST_WORDS_MAX);
  });
  const ended = endOf(child).then((why) => {
    running = false;
    forget();
    return why;
  });

  return {
    pid: child.pid ?? -1,
    name: options.name,
    endpoint: `127.0.0.1:${options.clientPort}`,
    signal: (signal) => void child.kill(signal),
    async ready(ms = READY_MS) {
      const giveUpAt = performance.now() + ms;
      while (!(await isHealthy(options.healthPort))) {
        if (!running) throw new Error(`etcd ${await ended}: ${lastWords}`);
        if (performance.now() > giveUpAt) throw new Error(`etcd was not ready after ${ms} ms: ${lastWords}`);
        await new Promise((resolve) => setTimeout(resolve, ASK_EACH_MS));
      }
    },
    async kill() {
      // Works on a stopped process too.
      if (running) child.kill('SIGKILL');
      await ended;
    },
    get running() {
      return running;
    },
  };
}

function argumentsOf(options: EtcdMemberOptions): string[] {
  const { name, directory, clientPort, peerPort, healthPort, tls, fsync, heartbeatMs = HEARTBEAT_MS } = options;
  const client = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${clientPort}`;
  const peer = (port: number): string => `http://127.0.0.1:${port}`;
  const members = Object.entries(options.cluster ?? { [name]: peerPort });
  const settings: [string, string | number][] = [
    ['name', name],
    ['data-dir', directory],
    ['listen-client-urls', client],
    ['advertise-client-urls', client],
    ['listen-peer-urls', peer(peerPort)],
    ['initial-advertise-peer-urls', peer(peerPort)],
    ['listen-metrics-urls', peer(healthPort)],
    ['initial-cluster', members.map(([member, port]) => `${member}=${peer(port)}`).join(',')],
    ['heartbeat-interval', heartbeatMs],
    ['election-timeout', heartbeatMs * 10],
    ['logger', 'zap'],
    ['log-level', 'error'],
  ];
  if (tls !== undefined) {
    settings.push(['cert-file', tls.certFile], ['key-file', tls.keyFile], ['trusted-ca-file', tls.caFile]);
    settings.push(['client-cert-auth', 'true']);
  }
  return [...settings.map(([key, value]) => `--${key}=${value}`), ...(fsync ? [] : ['--unsafe-no-fsync'])];
}

const SETPRIV = '/usr/bin/setpriv';

/** Where the system can: also when we are killed and get to do nothing any more. setpriv becomes etcd; the pid is its own. */
const endingWithParent = (command: string[]): string[] =>
  process.platform === 'linux' && existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL', '--', ...command] : command;

async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = await once(child, 'exit');
    return signal === null ? `ended with ${code}` : `was ended by ${signal}`;
  } catch (error) {
    return `did not start: ${(error as Error).message}`;
  }
}
