import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Message, methodOf, targetOf } from './message.ts';
import { createMessageReader, type MessageReader } from './message-reader.ts';
import { changed, until } from './until.ts';

/** One connection that reached the application, with every byte of it. */
export interface AppConnection {
  readonly index: number;
  readonly socket: Socket;
  readonly reader: MessageReader;
  /** How many bytes came, and the first megabytes of them. */
  readonly byteCount: () => number;
  readonly bytes: () => string;
  /** The other side has sent its end. */
  readonly ended: () => boolean;
  /** Gone in both directions, or reset. */
  readonly closed: () => boolean;
  /** What came after `upgrade`. */
  readonly tunnel: () => Buffer;
  readonly tunnelByteCount: () => number;
}

/** One request as the application got it, and how it may answer. */
export interface Exchange {
  readonly request: Message;
  readonly connection: AppConnection;
  /** Among the requests of this connection, from 0. */
  readonly nth: number;
  /** Among all requests of this application since the script was set, from 0. */
  readonly order: number;
  readonly method: string;
  readonly target: string;
  whole(): Promise<void>;
  /** Byte for byte. */
  send(bytes: string | Buffer): void;
  /** A plain good answer. */
  respond(body: string, options?: { readonly status?: string; readonly fields?: string }): void;
  /** Our FIN; closes when the other side has ended too. */
  end(bytes?: string): void;
  close(): void;
  reset(): void;
  /** Bytes from here on belong to a tunnel; the client's end is answered with ours, unless `outlives` it. */
  upgrade(answer: string | Buffer, options?: { readonly outlives?: boolean }): void;
}

export type Script = (exchange: Exchange) => void | Promise<void>;

export interface App {
  readonly name: string;
  readonly port: number;
  readonly connections: readonly AppConnection[];
  script: Script;
  /** Requests since the script was set, whole or not. */
  requests(): readonly Message[];
  wholeRequests(): readonly Message[];
  /** Bytes since the script was set. */
  bytesSeen(): number;
  /** Connections on which the other side has neither ended nor reset. */
  openCount(): number;
  /** Errors of scripts and of what arrived. */
  faults(): readonly string[];
  restart(script: Script): void;
  close(): Promise<void>;
}

const KEPT_BYTES_MAX = 8 * 1_024 * 1_024;

/** Names itself and what it was asked, once the request is whole. */
export const echo =
  (name: string): Script =>
  async (exchange) => {
    await exchange.whole();
    exchange.respond(`${name} ${exchange.method} ${exchange.target}`);
  };

export async function startApp(name: string, port = 0): Promise<App> {
  const connections: AppConnection[] = [];
  const faults: string[] = [];
  let seen: Message[] = [];
  let order = 0;
  let bytesSeen = 0;

  const app: App = {
    name,
    get port() {
      return (server.address() as AddressInfo).port;
    },
    connections,
    script: echo(name),
    requests: () => seen,
    wholeRequests: () => seen.filter(({ state }) => state === 'whole'),
    bytesSeen: () => bytesSeen,
    openCount: () => connections.filter((connection) => !connection.closed() && !connection.ended()).length,
    faults: () => [...faults, ...connections.flatMap(({ reader }) => reader.fault ?? [])],
    restart(script) {
      app.script = script;
      seen = [];
      order = 0;
      bytesSeen = 0;
    },
    async close() {
      for (const { socket } of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };

  function accept(socket: Socket): void {
    const kept: Buffer[] = [];
    const tunnel: Buffer[] = [];
    let [byteCount, tunnelByteCount, nth] = [0, 0, 0];
    let [ended, closed, tunnelled, answersEnd] = [false, false, false, true];
    const reader = createMessageReader({ kind: 'request', onHead, onWhole: changed });
    const connection: AppConnection = {
      index: connections.length,
      socket,
      reader,
      byteCount: () => byteCount,
      bytes: () => Buffer.concat(kept).toString('latin1'),
      ended: () => ended,
      closed: () => closed,
      tunnel: () => Buffer.concat(tunnel),
      tunnelByteCount: () => tunnelByteCount,
    };
    connections.push(connection);

    function takeTunnel(chunk: Buffer): void {
      tunnelByteCount += chunk.length;
      if (tunnelByteCount <= 2 * KEPT_BYTES_MAX) tunnel.push(chunk);
    }

    function onHead(request: Message): void {
      seen.push(request);
      const write = (bytes: string | Buffer): void => {
        if (socket.writable) socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
      };
      const exchange: Exchange = {
        request,
        connection,
        nth: nth++,
        order: order++,
        method: methodOf(request),
        target: targetOf(request),
        whole: () => until(`${name} has the whole request`, () => request.state === 'whole' || closed, 60_000),
        send: write,
        respond(body, { status = '200 OK', fields = '' } = {}) {
          const shown = exchange.method === 'HEAD' ? '' : body;
          write(`HTTP/1.1 ${status}\r\n${fields}Content-Length: ${Buffer.byteLength(body, 'latin1')}\r\n\r\n${shown}`);
        },
        end(bytes = '') {
          socket.end(Buffer.from(bytes, 'latin1'));
        },
        close: () => void socket.destroySoon(),
        reset: () => void socket.resetAndDestroy(),
        upgrade(answer, { outlives = false } = {}) {
          tunnelled = true;
          answersEnd = !outlives;
          const rest = reader.stop();
          if (rest.length > 0) takeTunnel(rest);
          write(answer);
        },
      };
      Promise.resolve(app.script(exchange)).catch((error: unknown) => {
        faults.push(`the script of ${name}: ${String(error)}`);
        socket.destroy();
      });
      changed();
    }

    socket.on('data', (chunk: Buffer) => {
      byteCount += chunk.length;
      bytesSeen += chunk.length;
      if (byteCount <= KEPT_BYTES_MAX) kept.push(chunk);
      if (tunnelled) takeTunnel(chunk);
      else reader.push(chunk);
      changed();
    });
    socket.on('end', () => {
      ended = true;
      reader.end(true);
      if (answersEnd) socket.end();
      changed();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      closed = true;
      reader.end(false);
      changed();
    });
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, accept);
  server.listen({ host: '127.0.0.1', port });
  await once(server, 'listening');
  return app;
}

/** Below what systems give out to whoever asks for any port: it would be given to the next application that starts. */
const DEAD_PORTS = { from: 11_000, count: 20_000 };
let nextDeadPort = process.pid * 61;

/** A port of loopback on which nothing listens, nor will. */
export async function deadPort(): Promise<number> {
  for (;;) {
    const port = DEAD_PORTS.from + (nextDeadPort++ % DEAD_PORTS.count);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen({ host: '127.0.0.1', port }, () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
