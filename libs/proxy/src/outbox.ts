import type { Socket } from 'node:net';
import type { Slabs } from './slabs.ts';

/**
 * Gathers what one turn has to say to one peer and says it in one write: a head and a small body in two writes cost
 * twice the system calls and TLS records, which halves the rate of small answers.
 */
export interface Outbox {
  /** Latin1. */
  text(part: string): void;
  bytes(part: Buffer): void;
  /** False when the peer takes no more for now: `onRoom` follows, or the socket's `drain`. Without anything gathered it sends nothing. */
  flush(): boolean;
  /**
   * Calls `flush` when it is time for what has gathered: at once, or, while large pieces come, at the end of this turn of the event
   * loop. TLS hands out a body in records of 16 KiB, and each in a write of its own costs twice the system calls.
   */
  whenGathered(flush: () => void): void;
  /** As `flush`, and calls `done`, never within this call, when all that was ever written has been handed to the system, or failed. */
  flushAll(done: Done): void;
}

type Done = (error?: Error | null) => void;

/** Up to here parts are copied together; above, the copy costs more than the pieces. */
const JOIN_BYTES_MAX = 16 * 1_024;
/** What is smaller waits for nothing. */
const GATHERED_FROM_BYTES = 8 * 1_024;
/** Three records. At 64 KiB a socket says that it is full, even when the system takes all of it at once. */
const GATHERED_BYTES_MAX = 48 * 1_024;
/**
 * Behind the one under way. Each costs memory besides its bytes, and a socket counts only those: with records of one byte it would hold
 * 65,536 of them before it says that it is full.
 */
const QUEUED_MAX = 128;
const NOTHING = Buffer.alloc(0);

/**
 * All bytes are only lent, see Connector and `lendReads`. Without `slabs`, until `flush` returns: a TLS socket that has nothing else to
 * write has encrypted them by then; behind something else they would wait in its queue, so they are copied. With `slabs`, until `bytes`
 * returns: they gather there, because what the system does not take at once it reads later.
 * @param onRoom the peer takes more again, where the socket does not say so itself
 */
export function createOutbox(socket: Socket, onRoom: () => void, slabs?: Slabs): Outbox {
  let parts: (string | Buffer)[] = [];
  let size = 0;
  /** What the end of this turn calls: that of whoever has the outbox by then, since a connection goes from one exchange to the next. */
  let waiting: (() => void) | undefined;
  /** Empty writes under way, which `writableLength` does not show. */
  let emptyCount = 0;
  let queuedCount = 0;
  let isFull = false;
  /** Where large pieces gather, and up to where it is full. */
  let slab: Buffer | undefined;
  let slabAt = 0;
  let used: Buffer[] = [];

  const mustCopy = (): boolean => slabs === undefined && (socket.writableLength > 0 || emptyCount > 0);

  function gather(part: Buffer, { take }: Slabs): void {
    for (let from = 0; from < part.length; ) {
      if (slab === undefined) {
        slab = take();
        slabAt = 0;
      }
      const count = part.copy(slab, slabAt, from);
      slabAt += count;
      from += count;
      if (slabAt === slab.length) closeSlab();
    }
  }

  function closeSlab(): void {
    if (slab === undefined) return;
    parts.push(slabAt === slab.length ? slab : slab.subarray(0, slabAt));
    used.push(slab);
    slab = undefined;
  }

  function left(): void {
    queuedCount -= 1;
    if (queuedCount > 0 || !isFull) return;
    isFull = false;
    if (!socket.destroyed && !socket.writableNeedDrain) onRoom();
  }

  /**
   * What is to be done once the write to come has left: slabs go back, and what was queued is counted off. Mostly nothing is queued
   * and nothing to be done, and then Node has no callback to call, which costs it a turn.
   */
  function onceLeft(done?: Done): Done | undefined {
    const isQueued = socket.writableLength > 0;
    if (isQueued) queuedCount += 1;
    const written = used;
    if (written.length === 0 && done === undefined) return isQueued ? left : undefined;
    if (written.length > 0) used = [];
    return (error) => {
      if (slabs !== undefined) written.forEach(slabs.give);
      if (isQueued) left();
      done?.(error);
    };
  }

  function join(): Buffer {
    const whole = Buffer.allocUnsafe(size);
    let at = 0;
    for (const part of parts) at += typeof part === 'string' ? whole.write(part, at, 'latin1') : part.copy(whole, at);
    return whole;
  }

  function send(whenLeft?: Done): boolean {
    closeSlab();
    const done = onceLeft(whenLeft);
    const [first] = parts;
    if (parts.length === 1 && first !== undefined) {
      // A short head alone, to an application, is written from the string, without memory in between.
      if (typeof first === 'string') return socket.write(first, 'latin1', done);
      if (!mustCopy()) return socket.write(first, done);
    }
    if (size <= JOIN_BYTES_MAX || mustCopy()) return socket.write(join(), done);
    let roomy = true;
    socket.cork();
    for (const [index, part] of parts.entries()) {
      const last = index === parts.length - 1 ? done : undefined;
      roomy = typeof part === 'string' ? socket.write(part, 'latin1', last) : socket.write(part, last);
    }
    socket.uncork();
    return roomy;
  }

  function sendWaiting(): void {
    const flush = waiting;
    waiting = undefined;
    flush?.();
  }

  function clear(): void {
    parts = [];
    size = 0;
  }

  return {
    text(part) {
      if (part === '') return;
      size += part.length;
      if (slab !== undefined && slabAt + part.length < slab.length) slabAt += slab.write(part, slabAt, 'latin1');
      else {
        closeSlab();
        parts.push(part);
      }
    },
    bytes(part) {
      size += part.length;
      if (slabs === undefined) parts.push(part);
      else if (slab === undefined && part.length < GATHERED_FROM_BYTES) parts.push(Buffer.from(part));
      else gather(part, slabs);
    },
    flush() {
      const roomy = size === 0 ? !socket.writableNeedDrain : send();
      clear();
      if (queuedCount >= QUEUED_MAX) isFull = true;
      return roomy && !isFull;
    },
    whenGathered(flush) {
      if (waiting === undefined) {
        if (size < GATHERED_FROM_BYTES || size >= GATHERED_BYTES_MAX) return flush();
        setImmediate(sendWaiting);
      }
      waiting = flush;
      if (size >= GATHERED_BYTES_MAX) flush();
    },
    flushAll(done) {
      if (size > 0) send(done);
      // An empty write makes a TLS socket look for input, which may come while other input is being read from the same memory.
      else if (socket.writable && socket.writableLength === 0 && emptyCount === 0) process.nextTick(done);
      else {
        emptyCount += 1;
        socket.write(NOTHING, (error) => {
          emptyCount -= 1;
          done(error);
        });
      }
      clear();
    },
  };
}
