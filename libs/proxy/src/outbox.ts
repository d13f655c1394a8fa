import type { Socket } from 'node:net';

/**
 * Gathers what one turn has to say to one peer and says it in one write: a head and a small body in two writes cost
 * twice the system calls and TLS records, which halves the rate of small answers.
 */
export interface Outbox {
  /** Latin1. */
  text(part: string): void;
  bytes(part: Buffer): void;
  /** False when the peer takes no more for now: `drain` follows. Without anything gathered it sends nothing. */
  flush(): boolean;
  /**
   * Calls `flush` when it is time for what has gathered: at once, or, while large pieces come, at the end of this turn of the event
   * loop. TLS hands out a body in records of 16 KiB, and each in a write of its own costs twice the system calls.
   */
  whenGathered(flush: () => void): void;
  /** As `flush`, and calls `done` when all that was ever written has been handed to the system, or failed. */
  flushAll(done: (error?: Error | null) => void): void;
}

/** Up to here parts are copied together; above, the copy costs more than the pieces. */
const JOIN_BYTES_MAX = 16 * 1_024;
/** What is smaller waits for nothing. */
const GATHERED_FROM_BYTES = 8 * 1_024;
/** Three records. At 64 KiB a socket says that it is full, even when the system takes all of it at once. */
const GATHERED_BYTES_MAX = 48 * 1_024;
const NOTHING = Buffer.alloc(0);

/**
 * @param lent bytes are only lent until `flush` returns, see Connector. A TLS socket that has nothing else to write has encrypted
 *   them by then; behind something else they would wait in its queue, so they are copied.
 */
export function createOutbox(socket: Socket, lent = false): Outbox {
  let parts: (string | Buffer)[] = [];
  let size = 0;
  let gathering = false;
  /** Empty writes under way, which `writableLength` does not show. */
  let emptyCount = 0;

  const mustCopy = (): boolean => lent && (socket.writableLength > 0 || emptyCount > 0);

  function join(): Buffer {
    const whole = Buffer.allocUnsafe(size);
    let at = 0;
    for (const part of parts) at += typeof part === 'string' ? whole.write(part, at, 'latin1') : part.copy(whole, at);
    return whole;
  }

  function send(done?: (error?: Error | null) => void): boolean {
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

  function clear(): void {
    parts = [];
    size = 0;
  }

  return {
    text(part) {
      if (part === '') return;
      parts.push(part);
      size += part.length;
    },
    bytes(part) {
      parts.push(part);
      size += part.length;
    },
    flush() {
      if (size === 0) return !socket.writableNeedDrain;
      const roomy = send();
      clear();
      return roomy;
    },
    whenGathered(flush) {
      if (gathering && size < GATHERED_BYTES_MAX) return;
      if (size < GATHERED_FROM_BYTES || size >= GATHERED_BYTES_MAX) return flush();
      gathering = true;
      setImmediate(() => {
        gathering = false;
        flush();
      });
    },
    flushAll(done) {
      if (size > 0) send(done);
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
