import type { Duplex } from 'node:stream';
import type { DemoLimits } from '../limits.ts';
import { OPCODE, writeClose, writeFrame } from './frame.ts';
import { createMessageReader, type Incoming } from './message-reader.ts';

export interface Echo {
  /** Says why, and ends the socket for good soon after, whatever the peer does. */
  close(code: number, reason: string): void;
}

/** Sends back every message on a socket whose handshake was answered. `head` came with the request. */
export function serveEcho(
  socket: Duplex,
  head: Buffer,
  { messageBytesMax, pingMs, closeMs }: Pick<DemoLimits, 'messageBytesMax' | 'pingMs' | 'closeMs'>,
): Echo {
  let closing = false;
  let heardSincePing = true;
  let deadline: NodeJS.Timeout | undefined;

  const pings = setInterval(() => {
    // A socket that is paused because the peer reads nothing hears nothing either, and ends here as well.
    if (!heardSincePing) {
      socket.destroy();
      return;
    }
    heardSincePing = false;
    send(writeFrame(OPCODE.ping, Buffer.alloc(0)));
  }, pingMs);

  /** The peer reads no faster than we echo: while it does not, we take nothing more from it. */
  function send(frame: Buffer): void {
    if (!closing && !socket.write(frame)) socket.pause();
  }

  function closeWith(frame: Buffer): void {
    if (closing) return;
    closing = true;
    socket.resume();
    socket.end(frame);
    deadline = setTimeout(() => socket.destroy(), closeMs);
  }

  function onIncoming(incoming: Incoming): void {
    switch (incoming.kind) {
      case 'message':
        send(writeFrame(incoming.opcode, incoming.payload));
        return;
      case 'ping':
        send(writeFrame(OPCODE.pong, incoming.payload));
        return;
      case 'pong':
        return;
      case 'close':
        closeWith(incoming.code === undefined ? writeFrame(OPCODE.close, Buffer.alloc(0)) : writeClose(incoming.code, ''));
    }
  }

  const reader = createMessageReader(messageBytesMax, onIncoming);

  function onBytes(bytes: Buffer): void {
    heardSincePing = true;
    // After our Close the rest is read away: a socket that is ended with unread bytes resets, and the Close is lost.
    if (closing) return;
    const violation = reader.read(bytes);
    if (violation !== undefined) closeWith(writeClose(violation.code, violation.reason));
  }

  socket.on('drain', () => socket.resume());
  socket.on('error', () => socket.destroy());
  socket.once('end', () => socket.end());
  socket.once('close', () => {
    clearInterval(pings);
    clearTimeout(deadline);
  });
  socket.on('data', onBytes);
  if (head.length > 0) onBytes(head);

  return { close: (code, reason) => closeWith(writeClose(code, reason)) };
}
