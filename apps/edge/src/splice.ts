import type { Socket } from 'node:net';
import type { Instant } from '@sallyport/model';
import type { Ending } from './endings.ts';
import { KEEPALIVE_AFTER_MS, type Limits } from './limits.ts';
import type { Tally } from './surroundings.ts';

/** Two sockets that are one connection. What passes is never looked at. */
export interface Splice {
  /** Whether the next may be read, into the same memory. */
  clientData(chunk: Buffer): boolean;
  supervisorData(chunk: Buffer): boolean;
  /** The client sends no more, and may still listen. */
  clientEnded(): void;
  supervisorEnded(): void;
  tick(now: Instant, limits: Pick<Limits, 'silenceMs' | 'halfClosedMs'>): void;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

export interface SpliceOptions {
  readonly client: Socket;
  /** Connected. */
  readonly supervisor: Socket;
  readonly tally: Pick<Tally, 'bytesIn' | 'bytesOut'>;
  /** Whether a chunk may pass, and the time; undefined: it may not, and all has been ended. */
  readonly mayPass: () => Instant | undefined;
  readonly onEnd: (ending: Ending) => void;
}

const NOTHING = Buffer.alloc(0);

/**
 * The way of every byte: one read, one look at the deadline, one write. A reader that is slower than the other side makes it
 * wait, and one read is held of what that sends.
 */
export function splice({ client, supervisor, tally, mayPass, onEnd }: SpliceOptions): Splice {
  const startedAt = mayPass();
  let lastActivityAt = startedAt;
  let clientEnded = false;
  let supervisorEnded = false;
  let isKeptAlive = false;
  let bytesIn = 0;
  let bytesOut = 0;

  return {
    clientData(chunk) {
      const now = mayPass();
      if (now === undefined) return false;
      lastActivityAt = now;
      bytesIn += chunk.length;
      tally.bytesIn += chunk.length;
      return pour(chunk, supervisor, client);
    },
    supervisorData(chunk) {
      const now = mayPass();
      if (now === undefined) return false;
      lastActivityAt = now;
      bytesOut += chunk.length;
      tally.bytesOut += chunk.length;
      return pour(chunk, client, supervisor);
    },
    clientEnded() {
      clientEnded = true;
      endOf(supervisor, supervisorEnded);
    },
    supervisorEnded() {
      supervisorEnded = true;
      endOf(client, clientEnded);
    },
    tick(now, { silenceMs, halfClosedMs }) {
      if (lastActivityAt === undefined || startedAt === undefined) return;
      const isHalf = clientEnded || supervisorEnded;
      if (now - lastActivityAt >= (isHalf ? halfClosedMs : silenceMs)) return onEnd(isHalf ? 'half-closed' : 'silent');
      if (isKeptAlive || now - startedAt < KEEPALIVE_AFTER_MS) return;
      isKeptAlive = true;
      for (const socket of [client, supervisor]) socket.setKeepAlive(true, KEEPALIVE_AFTER_MS);
    },
    get bytesIn() {
      return bytesIn;
    },
    get bytesOut() {
      return bytesOut;
    },
  };
}

/** False: `to` has yet to take it, and until then the memory is not to be used again; then `from` is read on by itself. */
function pour(chunk: Buffer, to: Socket, from: Socket): boolean {
  to.write(chunk);
  if (to.writableLength === 0) return true;
  // Below the mark at which Node tells of a drain by itself.
  if (to.writableNeedDrain) to.once('drain', () => from.resume());
  else to.write(NOTHING, () => from.resume());
  return false;
}

/** Passes an end on. Where the other side has ended too and nothing is left to be written, closing says as much, in one call less. */
function endOf(socket: Socket, hasEnded: boolean): void {
  if (hasEnded && socket.writableLength === 0) socket.destroy();
  else socket.end();
}

/** Breaks a connection so that it is not taken for an end in good order, and what the system still holds of it does not go out. */
export function reset(socket: Socket): void {
  // What is being shut down at this moment cannot be reset: libuv refuses, and Node would leave it open for ever. That takes a
  // turn; as long as something is left to be written it has not begun.
  const isShuttingDown = socket.writableEnded && !socket.writableFinished && socket.writableLength === 0;
  if (isShuttingDown && !socket.destroyed) socket.once('finish', () => socket.resetAndDestroy());
  else socket.resetAndDestroy();
}
