import { connect, type Socket } from 'node:net';

/** A client that can say wrong things: bytes out, frames in. */
export interface SocketClient {
  readonly socket: Socket;
  /** The head of the answer to the handshake. */
  readonly head: string;
  send(...bytes: Buffer[]): void;
  /** The next whole frame of the server, or undefined when the connection has ended. */
  next(): Promise<ServerFrame | undefined>;
  ended(): Promise<void>;
}

export interface ServerFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

export const HANDSHAKE_FIELDS: Readonly<Record<string, string>> = {
  Host: 'app.test',
  Upgrade: 'websocket',
  Connection: 'Upgrade',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

export async function openSocket(
  port: number,
  { path = '/api/echo', fields = HANDSHAKE_FIELDS, first = Buffer.alloc(0) as Buffer } = {},
): Promise<SocketClient> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => {});
  let pending = Buffer.alloc(0);
  let isEnded = false;
  let wake = (): void => {};
  socket.on('data', (bytes: Buffer) => {
    pending = Buffer.concat([pending, bytes]);
    wake();
  });
  socket.on('close', () => {
    isEnded = true;
    wake();
  });

  /** Waits until `take` finds what it looks for. */
  async function until<T>(take: () => T | undefined): Promise<T | undefined> {
    for (;;) {
      const found = take();
      if (found !== undefined || isEnded) return found;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(Buffer.concat([Buffer.from(`GET ${path} HTTP/1.1\r\n${head.join('')}\r\n`), first]));
  const answer = await until(() => {
    const end = pending.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const text = pending.subarray(0, end).toString();
    pending = pending.subarray(end + 4);
    return text;
  });

  return {
    socket,
    head: answer ?? '',
    send: (...bytes) => void socket.write(Buffer.concat(bytes)),
    next: () =>
      until(() => {
        if (pending.length < 2) return undefined;
        const short = (pending[1] as number) & 0x7f;
        const at = short === 126 ? 4 : short === 127 ? 10 : 2;
        if (pending.length < at) return undefined;
        const length = short === 126 ? pending.readUInt16BE(2) : short === 127 ? Number(pending.readBigUInt64BE(2)) : short;
        if (pending.length < at + length) return undefined;
        const frame = { opcode: (pending[0] as number) & 0x0f, payload: pending.subarray(at, at + length) };
        pending = pending.subarray(at + length);
        return frame;
      }),
    async ended() {
      await until(() => undefined);
    },
  };
}

/** A frame as a client writes it; each flag can be wrong. */
export function clientFrame(
  opcode: number,
  payload: Buffer | string,
  { final = true, masked = true, reserved = 0, length = 'shortest' as 'shortest' | 2 | 8 } = {},
): Buffer {
  const data = Buffer.from(payload);
  const wide = length !== 'shortest' ? length : data.length < 126 ? 0 : data.length < 0x1_0000 ? 2 : 8;
  const head = Buffer.alloc(2 + wide);
  head[0] = (final ? 0x80 : 0) | (reserved << 4) | opcode;
  head[1] = (masked ? 0x80 : 0) | (wide === 0 ? data.length : wide === 2 ? 126 : 127);
  if (wide === 2) head.writeUInt16BE(data.length, 2);
  if (wide === 8) head.writeBigUInt64BE(BigInt(data.length), 2);
  if (!masked) return Buffer.concat([head, data]);
  const mask = Buffer.from([0x1f, 0x2e, 0x3d, 0x4c]);
  return Buffer.concat([head, mask, Buffer.from(data.map((byte, i) => byte ^ (mask[i & 3] as number)))]);
}
