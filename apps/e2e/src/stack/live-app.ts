import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** An application with streams that last: `/slow` writes a line each 50 ms, a WebSocket handshake is accepted and stays open. */
export interface LiveApp {
  readonly port: number;
  requests(): number;
  close(): Promise<void>;
}

export async function startLiveApp(name: string): Promise<LiveApp> {
  const sockets = new Set<Socket>();
  let requestCount = 0;
  const server: Server = createServer((request, response) => {
    requestCount += 1;
    if (request.url !== '/slow') return void response.end(`${name}\n`);
    response.writeHead(200, { 'content-type': 'text/plain' });
    const timer = setInterval(() => response.write('line\n'), 50);
    response.on('close', () => clearInterval(timer));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request, socket) => {
    requestCount += 1;
    // RFC 6455 section 4.2.2.
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.on('error', () => undefined);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.address() as AddressInfo).port,
    requests: () => requestCount,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
