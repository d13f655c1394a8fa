import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePorts } from '../etcd-process/free-ports.ts';

/** A TCP proxy on loopback with the faults of a network. What it once took it delivers in order or not at all, as TCP does. */
export interface FaultProxy {
  readonly port: number;
  /** `127.0.0.1:<port>`. */
  readonly address: string;
  /** Resets every connection there is; what was held is lost. New ones are taken. */
  cut(): void;
  /** While true new connections are refused; those that are there stay. */
  refuse(on: boolean): Promise<void>;
  /** While on nothing passes, in both directions or in one, and nobody is told; afterwards what was held goes on its way. */
  blackhole(on: boolean | Direction): void;
  /** How much later each chunk arrives, in each direction. */
  delay(ms: number): void;
  connectionCount(): number;
  /** What waits, in both directions. */
  heldBytes(): number;
  /** Ends everything. */
  close(): Promise<void>;
}

export type Direction = 'to-target' | 'from-target';

export interface FaultProxyOptions {
  readonly target: { readonly host?: string; readonly port: number };
}

export async function createFaultProxy({ target }: FaultProxyOptions): Promise<FaultProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const pipes = new Set<Pipe>();
  let held: boolean | Direction = false;
  let delayMs = 0;
  const rules: Rules = { holds: (direction) => held === true || held === direction, delayMs: () => delayMs };

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const upstream = connect({ host: target.host ?? '127.0.0.1', port: target.port, allowHalfOpen: true, noDelay: true });
    const pair = [client, upstream] as const;
    const both = [createPipe(client, upstream, 'to-target', rules), createPipe(upstream, client, 'from-target', rules)];
    pairs.add(pair);
    for (const pipe of both) pipes.add(pipe);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        pairs.delete(pair);
        for (const pipe of both) pipes.delete(pipe);
        for (const each of pair) each.destroy();
      });
    }
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  // Not one of the system's choice: while it refuses, a client could come to sit on it.
  const [port = 0] = await freePorts(1);
  await listen(port);

  const cut = (): void => {
    for (const [client, upstream] of pairs) {
      client.resetAndDestroy();
      upstream.destroy();
    }
  };

  return {
    port,
    address: `127.0.0.1:${port}`,
    cut,
    async refuse(on) {
      // Not `close` awaited: it waits for the connections that stay.
      if (on && server.listening) server.close();
      if (!on && !server.listening) await listen(port);
    },
    blackhole(on) {
      held = on;
      for (const pipe of pipes) pipe.pump();
    },
    delay(ms) {
      delayMs = ms;
    },
    connectionCount: () => pairs.size,
    heldBytes: () => [...pipes].reduce((sum, pipe) => sum + pipe.heldBytes(), 0),
    async close() {
      cut();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

interface Rules {
  holds(direction: Direction): boolean;
  delayMs(): number;
}

interface Pipe {
  pump(): void;
  heldBytes(): number;
}

/** Chunks, and the end after them, wait in one queue: each until its time, and all while the direction is held. */
function createPipe(from: Socket, to: Socket, direction: Direction, rules: Rules): Pipe {
  const queue: { readonly chunk: Buffer | 'end'; readonly dueAt: number }[] = [];
  let timer: NodeJS.Timeout | undefined;

  function take(chunk: Buffer | 'end'): void {
    queue.push({ chunk, dueAt: performance.now() + rules.delayMs() });
    // As much as a network in trouble holds; the sender notices by its own full buffer.
    if (rules.holds(direction)) from.pause();
    pump();
  }

  function pump(): void {
    clearTimeout(timer);
    if (rules.holds(direction) || to.destroyed) return;
    from.resume();
    for (let head = queue[0]; head !== undefined; head = queue[0]) {
      const waitMs = head.dueAt - performance.now();
      if (waitMs > 0) {
        timer = setTimeout(pump, waitMs);
        return;
      }
      queue.shift();
      if (head.chunk === 'end') to.end();
      else to.write(head.chunk);
    }
  }

  from.on('data', take);
  from.on('end', () => take('end'));
  to.on('close', () => clearTimeout(timer));
  return {
    pump,
    heldBytes: () => queue.reduce((sum, { chunk }) => sum + (chunk === 'end' ? 0 : chunk.length), 0),
  };
}
