import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { type Message, statusOf } from './message.ts';
import { createMessageReader } from './message-reader.ts';
import { changed, until } from './until.ts';

/** A raw TLS client: the bytes of the case out, what comes back read by a stranger. */
export interface Client {
  readonly socket: TLSSocket;
  readonly raw: Socket;
  /** As the way of the case wants it: in one write, or one byte a write. */
  send(text: string): void;
  /** In one write. */
  write(bytes: string | Buffer): void;
  /** Sends a request and waits for its final answer, or for the end of the connection. */
  ask(text: string, method?: string): Promise<Message>;
  /** The next final answer that nobody has waited for yet. */
  answer(method?: string): Promise<Message>;
  /** Says which method the next answer is for, where it is not asked for by `ask` or `answer`. */
  expect(method: string): void;
  readonly messages: readonly Message[];
  /** Why what came is no plain HTTP. */
  fault(): string | undefined;
  /** How the other side ended it. */
  over(): 'open' | 'ended' | 'reset';
  isOver(limitMs?: number): Promise<void>;
  byteCount(): number;
  /** From here on bytes are a tunnel's. */
  tunnel(): Tunnel;
  /** TLS and TCP are closed. */
  close(): void;
  /** TCP is reset beneath TLS. */
  reset(): void;
}

export interface Tunnel {
  bytes(): Buffer;
  byteCount(): number;
  sees(bytes: string): Promise<void>;
}

export interface ConnectOptions extends ConnectionOptions {
  readonly singleBytes?: boolean;
  /** Absent: none is sent. */
  readonly servername?: string;
  readonly localAddress?: string;
}

export class HandshakeRefused extends Error {}

const SINGLE_BYTES_MAX = 12_000;

/** Resolves after the handshake; rejects with {@link HandshakeRefused}. */
export async function connectTls(port: number, options: ConnectOptions): Promise<Client> {
  const { singleBytes = false, localAddress, ...tls } = options;
  const raw = connectTcp({
    host: '127.0.0.1',
    port,
    noDelay: true,
    allowHalfOpen: true,
    ...(localAddress ? { localAddress } : {}),
  });
  raw.on('error', () => {});
  // Node takes `allowHalfOpen` here, its types do not know it.
  const half: object = { allowHalfOpen: true };
  const socket = connect({ socket: raw, ...half, ...tls });
  const client = createClient(socket, raw, singleBytes);
  let problem: string | undefined;
  let secure = false;
  socket.on('error', (error: NodeJS.ErrnoException) => {
    problem = error.code ?? error.message;
    changed();
  });
  socket.once('secureConnect', () => {
    secure = true;
    changed();
  });
  await until('the handshake', () => secure || problem !== undefined || client.over() !== 'open' || raw.destroyed);
  if (secure) return client;
  raw.destroy();
  throw new HandshakeRefused(problem ?? 'closed');
}

function createClient(socket: TLSSocket, raw: Socket, singleBytes: boolean): Client {
  const methods: string[] = [];
  const tunnelled: Buffer[] = [];
  let tunnelBytes = 0;
  let inTunnel = false;
  let byteCount = 0;
  let over: 'open' | 'ended' | 'reset' = 'open';
  let taken = 0;
  const reader = createMessageReader({
    kind: 'response',
    nextMethod: () => methods.shift() ?? 'GET',
    onHead: changed,
    onWhole: changed,
  });

  const end = (how: 'ended' | 'reset'): void => {
    if (over === 'open') over = how;
    reader.end(how === 'ended');
    changed();
  };
  socket.on('data', (chunk: Buffer) => {
    byteCount += chunk.length;
    if (inTunnel) takeTunnel(chunk);
    else reader.push(chunk);
    changed();
  });
  socket.on('end', () => end('ended'));
  socket.on('error', () => end('reset'));
  socket.on('close', () => end('reset'));

  function takeTunnel(chunk: Buffer): void {
    tunnelBytes += chunk.length;
    if (tunnelBytes <= 16 * 1_024 * 1_024) tunnelled.push(chunk);
  }

  const finals = (): Message[] => reader.messages.filter((message) => statusOf(message) >= 200 || statusOf(message) === 101);

  async function answer(): Promise<Message> {
    const index = taken++;
    const settled = (): boolean => {
      const message = finals()[index];
      return (
        (message !== undefined && (message.state !== 'open' || statusOf(message) === 101)) ||
        over !== 'open' ||
        reader.fault !== undefined
      );
    };
    await until(
      `answer ${index + 1} of the connection, which has ${JSON.stringify(reader.messages.at(-1)?.head ?? '')}`,
      settled,
      12_000,
    );
    const message = finals()[index];
    if (reader.fault !== undefined) throw new Error(`what came is no plain HTTP: ${reader.fault}`);
    if (message === undefined) throw new Error(`the connection was ${over} before answer ${index + 1}`);
    return message;
  }

  const write = (bytes: string | Buffer): void => {
    if (socket.writable) socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  };
  const send = (text: string): void => {
    if (!singleBytes || text.length > SINGLE_BYTES_MAX) write(text);
    else for (const byte of Buffer.from(text, 'latin1')) write(Buffer.of(byte));
  };

  return {
    socket,
    raw,
    send,
    write,
    ask(text, method = text.slice(0, text.indexOf(' '))) {
      methods.push(method);
      send(text);
      return answer();
    },
    answer(method) {
      if (method !== undefined) methods.push(method);
      return answer();
    },
    expect: (method) => void methods.push(method),
    messages: reader.messages,
    fault: () => reader.fault,
    over: () => over,
    isOver: (limitMs) => until('the connection is over', () => over !== 'open', limitMs),
    byteCount: () => byteCount,
    tunnel() {
      if (!inTunnel) {
        inTunnel = true;
        const rest = reader.stop();
        if (rest.length > 0) takeTunnel(rest);
      }
      const bytes = (): Buffer => Buffer.concat(tunnelled);
      return {
        bytes,
        byteCount: () => tunnelBytes,
        sees: (wanted) =>
          until(`the client reads ${JSON.stringify(wanted.slice(0, 40))}`, () => bytes().includes(Buffer.from(wanted, 'latin1'))),
      };
    },
    close: () => void socket.destroy(),
    reset: () => void raw.resetAndDestroy(),
  };
}
