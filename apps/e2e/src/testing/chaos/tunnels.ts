import { connect, type TLSSocket } from 'node:tls';
import { nowMs } from './evidence.ts';
import type { Prober, Target } from './prober.ts';

/** For each sandbox one WebSocket whose client writes a line each 50 ms, whatever becomes of the other end. */
export interface Tunnels {
  stop(): void;
}

const LINE_EVERY_MS = 50;
const HANDSHAKE_MS = 15_000;
/** Until another is opened in place of one that is gone. */
const AGAIN_MS = 500;
/** What a stopped reader is sent at most: past what the kernel and the proxy hold, more says nothing. Bytes. */
const UNREAD_MAX = 1024 * 1024;

export function startTunnels(
  sandboxes: readonly string[],
  targetOf: (sandbox: string) => Target | undefined,
  ca: string,
  prober: Prober,
): Tunnels {
  const sockets = new Set<TLSSocket>();
  let stopped = false;
  let count = 0;

  function keep(sandbox: string): void {
    if (stopped) return;
    const target = targetOf(sandbox);
    if (target === undefined) return void setTimeout(() => keep(sandbox), AGAIN_MS);
    count += 1;
    const id = `${target.listener}.t${count}`;
    const socket = connect({ host: '127.0.0.1', port: target.port, servername: target.host, ca });
    sockets.add(socket);
    const sentAt = nowMs();
    let timer: NodeJS.Timeout | undefined;
    socket.write(
      `GET /${id} HTTP/1.1\r\nHost: ${target.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    const late = setTimeout(() => socket.destroy(), HANDSHAKE_MS);
    socket.once('data', (chunk: Buffer) => {
      clearTimeout(late);
      if (!chunk.toString('latin1').startsWith('HTTP/1.1 101')) return void socket.destroy();
      prober.add({ id, sandbox, listener: target.listener, sentAt, answeredAt: nowMs(), outcome: { kind: 'right' } });
      timer = setInterval(() => {
        if (socket.writable && socket.writableLength < UNREAD_MAX) socket.write(`${nowMs()}\n`);
      }, LINE_EVERY_MS);
    });
    socket.on('error', () => undefined);
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      clearInterval(timer);
      clearTimeout(late);
      sockets.delete(socket);
      setTimeout(() => keep(sandbox), AGAIN_MS);
    });
  }

  for (const sandbox of sandboxes) keep(sandbox);
  return {
    stop() {
      stopped = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
