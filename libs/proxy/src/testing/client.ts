import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { until } from './until.ts';

/** A raw client: bytes out, bytes in, and how it ended. */
export interface RawClient {
  readonly socket: Socket;
  send(text: string | Uint8Array): void;
  /** Everything received so far, latin1. */
  received(): string;
  receivedBytes(): number;
  /** The other side sent its end. */
  ended(): boolean;
  closed(): boolean;
  /** Its error code, if any. */
  error(): string | undefined;
  /** Waits until this has been received. */
  sees(part: string): Promise<void>;
  isOver(): Promise<void>;
  reset(): void;
}

function rawClient(socket: Socket, reset: () => void): RawClient {
  const chunks: Buffer[] = [];
  let [text, bytes, ended, closed] = ['', 0, false, false];
  let error: string | undefined;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    // Large downloads are counted only.
    if (bytes < 4_000_000) chunks.push(chunk);
  });
  socket.on('end', () => {
    ended = true;
  });
  socket.on('close', () => {
    closed = true;
  });
  socket.on('error', (problem: NodeJS.ErrnoException) => {
    error = problem.code ?? problem.message;
  });
  const received = (): string => {
    if (chunks.length > 0) text += Buffer.concat(chunks.splice(0)).toString('latin1');
    return text;
  };
  return {
    socket,
    send: (part) => void socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part),
    received,
    receivedBytes: () => bytes,
    ended: () => ended,
    closed: () => closed,
    error: () => error,
    sees: (part) =>
      until(`client sees ${JSON.stringify(part.slice(0, 60))}, has ${JSON.stringify(received().slice(-200))}`, () =>
        received().includes(part),
      ),
    isOver: () => until('connection over', () => ended || closed),
    reset,
  };
}

/** Resolves when the handshake is done, or throws the error that ended it. */
export async function connectTls(port: number, host: string | undefined, options: ConnectionOptions = {}): Promise<RawClient> {
  const raw = connectTcp({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true });
  return secure(raw, host, options);
}

export async function secure(raw: Socket, host: string | undefined, options: ConnectionOptions = {}): Promise<RawClient> {
  raw.on('error', () => {});
  const name = host === undefined ? {} : { servername: host };
  // Node takes `allowHalfOpen` here, its types do not know it.
  const half: object = { allowHalfOpen: true };
  const socket: TLSSocket = connect({ socket: raw, rejectUnauthorized: false, ...half, ...name, ...options });
  const client = rawClient(socket, () => raw.resetAndDestroy());
  let isSecure = false;
  socket.once('secureConnect', () => {
    isSecure = true;
  });
  await until('handshake', () => isSecure || client.closed() || client.error() !== undefined);
  if (!isSecure) throw new Error(client.error() ?? 'closed in the handshake');
  return client;
}

export function connectPlain(port: number): RawClient {
  const raw = connectTcp({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true });
  return rawClient(raw, () => raw.resetAndDestroy());
}
