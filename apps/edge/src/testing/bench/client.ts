import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { hello, keyShares, padding, records, serverName, versions } from '@sallyport/tls-hello/testing';
import { HOST } from './host.ts';

/** What a browser sends, in size: 1,696 bytes with post-quantum key shares. */
export const HELLO = Buffer.from(records(hello({ extensions: [serverName(HOST), versions, keyShares(), padding(300)] })));

/** Each connection begins with its hello and one command for the backend. */
const opening = (command: string): Buffer => Buffer.concat([HELLO, Buffer.from(command)]);

const CHUNK = Buffer.alloc(262_144, 0x17);

/** Bytes that go over so many connections, for ever: from the supervisor (`down`) or to it (`up`). */
export function startBytes(
  port: number,
  connectionCount: number,
  way: 'down' | 'up',
): { readonly bytes: () => number; stop(): void } {
  let read = 0;
  const buffer = Buffer.allocUnsafe(262_144);
  const sockets = Array.from({ length: connectionCount }, () => {
    const onread = {
      buffer,
      callback: (count: number): boolean => {
        read += count;
        return true;
      },
    };
    const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread });
    socket.on('error', () => undefined);
    socket.write(opening(way === 'down' ? 'b' : 'u'));
    if (way === 'up') {
      const send = (): void => {
        while (!socket.destroyed && socket.write(CHUNK));
      };
      socket.on('drain', send);
      socket.on('connect', send);
    }
    return socket;
  });
  return {
    bytes: () =>
      way === 'down' ? read : sockets.reduce((sum, { bytesWritten, writableLength }) => sum + bytesWritten - writableLength, 0),
    stop() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
  };
}

/** Connections that are opened, answered with a byte and closed again, so many at a time. */
export async function openConnections(
  port: number,
  atOnce: number,
  count: number,
): Promise<{ readonly ms: number; readonly failed: number }> {
  const startedAt = performance.now();
  let [left, failed] = [count, 0];
  const one = (): Promise<void> =>
    new Promise((done) => {
      let answered = false;
      const socket = connect({ host: '127.0.0.1', port, noDelay: true });
      socket.on('data', () => {
        answered = true;
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        if (!answered) failed += 1;
        done();
      });
      socket.write(opening('1'));
    });
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left > 0) {
        left -= 1;
        await one();
      }
    }),
  );
  return { ms: performance.now() - startedAt, failed };
}

/** Opens connections that then say nothing, and keeps them. */
export async function holdConnections(port: number, count: number): Promise<{ readonly open: number; close(): void }> {
  const sockets: Socket[] = [];
  for (let opened = 0; opened < count; opened += 200) {
    const batch = Array.from({ length: Math.min(200, count - opened) }, () => connect({ host: '127.0.0.1', port }));
    sockets.push(...batch);
    await Promise.all(
      batch.map(
        (socket) =>
          new Promise<void>((done) => {
            socket.on('error', () => done());
            socket.on('connect', () => socket.write(opening('i'), () => done()));
          }),
      ),
    );
  }
  await sleep(2_000);
  return {
    open: sockets.filter((socket) => !socket.destroyed).length,
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
