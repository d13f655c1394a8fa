import type { Socket } from 'node:net';
import type { Instant } from '@sallyport/model';
import { KEEPALIVE_AFTER_MS } from '@sallyport/proxy';
import type { Ending } from './endings.ts';
import type { Limits } from './limits.ts';
import type { Tally } from './surroundings.ts';

/** Who is asked before each chunk, and told of an end. */
export interface Gate {
  /** Whether a chunk may pass, and the time; undefined: it may not, and all has been ended. */
  mayPass(): Instant | undefined;
  over(ending: Ending): void;
}

const NOTHING = Buffer.alloc(0);

/**
 * Two sockets that are one connection, and the way of every byte: one read, one look at the deadline, one write. What passes is never
 * looked at. A reader that is slower than the other side makes it wait, and one read is held of what that sends.
 */
export class Splice {
  bytesIn = 0;
  bytesOut = 0;
  readonly #client: Socket;
  readonly #supervisor: Socket;
  readonly #tally: Pick<Tally, 'bytesIn' | 'bytesOut'>;
  readonly #gate: Gate;
  readonly #startedAt: Instant | undefined;
  #lastActivityAt: Instant | undefined;
  #clientEnded = false;
  #supervisorEnded = false;
  #isKeptAlive = false;

  /** @param supervisor connected. */
  constructor(client: Socket, supervisor: Socket, tally: Pick<Tally, 'bytesIn' | 'bytesOut'>, gate: Gate) {
    this.#client = client;
    this.#supervisor = supervisor;
    this.#tally = tally;
    this.#gate = gate;
    this.#startedAt = gate.mayPass();
    this.#lastActivityAt = this.#startedAt;
  }

  /** Whether the next may be read, into the same memory. */
  clientData(chunk: Buffer): boolean {
    const now = this.#gate.mayPass();
    if (now === undefined) return false;
    this.#lastActivityAt = now;
    this.bytesIn += chunk.length;
    this.#tally.bytesIn += chunk.length;
    return pour(chunk, this.#supervisor, this.#client);
  }

  supervisorData(chunk: Buffer): boolean {
    const now = this.#gate.mayPass();
    if (now === undefined) return false;
    this.#lastActivityAt = now;
    this.bytesOut += chunk.length;
    this.#tally.bytesOut += chunk.length;
    return pour(chunk, this.#client, this.#supervisor);
  }

  /** The client sends no more, and may still listen. */
  clientEnded(): void {
    this.#clientEnded = true;
    endOf(this.#supervisor, this.#supervisorEnded);
  }

  supervisorEnded(): void {
    this.#supervisorEnded = true;
    endOf(this.#client, this.#clientEnded);
  }

  tick(now: Instant, { silenceMs, halfClosedMs }: Pick<Limits, 'silenceMs' | 'halfClosedMs'>): void {
    if (this.#lastActivityAt === undefined || this.#startedAt === undefined) return;
    const isHalf = this.#clientEnded || this.#supervisorEnded;
    if (now - this.#lastActivityAt >= (isHalf ? halfClosedMs : silenceMs))
      return this.#gate.over(isHalf ? 'half-closed' : 'silent');
    if (this.#isKeptAlive || now - this.#startedAt < KEEPALIVE_AFTER_MS) return;
    this.#isKeptAlive = true;
    for (const socket of [this.#client, this.#supervisor]) socket.setKeepAlive(true, KEEPALIVE_AFTER_MS);
  }
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
