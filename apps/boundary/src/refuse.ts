import type { Socket } from 'node:net';
import { REFUSAL_FIELD, type Refusal, statusOf } from './refusals.ts';

/** How long somebody who was refused may take to read it and to go. */
const LINGER_MS = 1_000;

/** Answers a socket that is in no request of Node's, and ends it: by itself if the other side does not. */
export function refuse(socket: Socket, refusal: Refusal): void {
  socket.end(
    `HTTP/1.1 ${statusOf(refusal)} Refused\r\n${REFUSAL_FIELD}: ${refusal}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
  );
  // What it goes on to say is read and forgotten: a socket closed over unread bytes is reset, and the answer with it.
  socket.resume();
  socket.setTimeout(LINGER_MS, () => socket.destroy());
}
