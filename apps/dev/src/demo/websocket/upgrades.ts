import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { DemoLimits } from '../limits.ts';
import { type Echo, serveEcho } from './echo.ts';
import { CLOSE } from './frame.ts';
import { shakeHands } from './handshake.ts';

/** Every socket that asks for an upgrade, from its request to its end. */
export interface Upgrades {
  handle(path: string, request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

export function createUpgrades(limits: DemoLimits): Upgrades {
  const live = new Map<Duplex, Echo>();

  function accept(socket: Duplex, head: Buffer, answer: string): void {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${answer}\r\n\r\n`,
    );
    const echo = serveEcho(socket, head, limits);
    live.set(socket, echo);
    socket.once('close', () => live.delete(socket));
  }

  return {
    handle(path, request, socket, head) {
      // Node leaves an upgraded socket without any listener: a reset by the peer would end the process.
      socket.on('error', () => socket.destroy());
      const handshake = shakeHands(request);
      if (path !== '/api/echo') refuse(socket, '404 Not Found', 'There is no WebSocket at this path.');
      else if (handshake.kind === 'refused') refuse(socket, REASONS[handshake.status], handshake.reason);
      else if (live.size >= limits.echoMax) refuse(socket, '503 Service Unavailable', 'Too many WebSockets are open.');
      else accept(socket, head, handshake.answer);
    },
    close() {
      for (const echo of live.values()) echo.close(CLOSE.goingAway, 'the application is ending');
    },
  };
}

const REASONS = {
  400: '400 Bad Request',
  426: '426 Upgrade Required\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13',
} as const;

function refuse(socket: Duplex, statusAndFields: string, message: string): void {
  const body = `${JSON.stringify({ message })}\n`;
  // What the peer still sends is read away, so that it can read the answer before the socket ends.
  socket.resume();
  socket.end(
    `HTTP/1.1 ${statusAndFields}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Cache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
