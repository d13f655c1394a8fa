import { createInterface } from 'node:readline';
import type { Cluster } from './cluster.ts';
import type { RunningPod, Texts } from './plan.ts';
import { clientPlan, PORTS } from './plans.ts';

export interface Answer {
  /** 0: there was none. */
  readonly status: number;
  /** Our own code, where the answer is ours. */
  readonly code?: string;
  readonly body?: string;
  readonly error?: string;
}

export interface Request {
  readonly host: string;
  readonly serverName?: string;
  readonly path?: string;
  readonly headers?: Texts;
  /** How long to wait for the answer; milliseconds. */
  readonly withinMs?: number;
}

/** A client that stands in a Pod: what it can reach, the network of the cluster decides. */
export interface Client {
  readonly pod: RunningPod;
  get(at: RunningPod, request: Request): Promise<Answer>;
  /** How a bare connection to a port of a Pod ends: `connected`, `timeout` or the error. */
  dial(at: RunningPod, port: number): Promise<string>;
  tunnel(at: RunningPod, host: string): Promise<Tunnel>;
  /** Aborted once it is closed. */
  readonly closed: AbortSignal;
  close(): void;
}

export interface Tunnel {
  /** Whether what is sent comes back. */
  alive(): Promise<boolean>;
  /** When it was closed, `performance.now()`. */
  closedAt(): number | undefined;
}

const DIAL_MS = 1_500;

export async function openClient(cluster: Cluster, name: string, labels: Texts, ca: string): Promise<Client> {
  const pod = await cluster.run(clientPlan(cluster.image, name, labels));
  const child = cluster.exec(pod, ['node', '/e2e/programs/client.mjs']);
  const waiting = new Map<number, (answer: Record<string, unknown>) => void>();
  const closed = new Map<number, number>();
  const over = new AbortController();
  let count = 0;
  if (child.stdout === null || child.stdin === null) throw new Error('a client without input and output');
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line) as Record<string, unknown>;
    if (typeof said.closed === 'number') return void closed.set(said.closed, performance.now());
    waiting.get(said.id as number)?.(said);
    waiting.delete(said.id as number);
  });
  // It may be gone before what is written arrives.
  child.stdin.on('error', () => undefined);
  child.once('close', () => {
    over.abort();
    for (const answer of waiting.values()) answer({ status: 0, error: 'the client is gone' });
  });

  function ask(act: string, given: object): Promise<Record<string, unknown> & { readonly id: number }> {
    count += 1;
    const id = count;
    if (over.signal.aborted) return Promise.resolve({ id, status: 0, error: 'the client is gone' });
    return new Promise((resolve) => {
      waiting.set(id, (answer) => resolve({ ...answer, id }));
      child.stdin?.write(`${JSON.stringify({ id, act, ...given })}\n`);
    });
  }

  return {
    pod,
    get: async (at, request) => (await ask('get', { address: at.address, port: PORTS.app, ca, ...request })) as unknown as Answer,
    dial: async (at, port) => String((await ask('dial', { address: at.address, port, withinMs: DIAL_MS })).outcome),
    async tunnel(at, host) {
      const { id, opened } = await ask('tunnel', { address: at.address, port: PORTS.app, host, ca });
      if (opened !== true) throw new Error(`no tunnel to ${host} at ${at.address}`);
      return {
        async alive() {
          const text = `hello ${count}`;
          return (await ask('echo', { tunnel: id, text })).text === text;
        },
        closedAt: () => closed.get(id),
      };
    },
    closed: over.signal,
    close() {
      over.abort();
      child.kill();
    },
  };
}
