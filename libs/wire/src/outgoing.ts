/** A writable stream of messages, as grpc-js's calls are. */
export interface Sink<Message> {
  write(message: Message): boolean;
  once(event: 'drain', act: () => void): unknown;
}

/** Messages that wait for a slow reader, beside the 16 that the stream itself holds. */
export const OUTGOING_MAX = 256;

/**
 * A bounded queue before a stream that gives back-pressure. Messages wait here and not in the stream, so that they can be
 * dropped at once when the stream fails: a status waits behind everything that the stream has taken.
 */
export interface Outgoing<Message> {
  /** `full` and `closed`: the message was not taken. */
  send(message: Message): 'taken' | 'full' | 'closed';
  /** Resolves when nothing waits, which is also so once it was dropped. */
  drained(): Promise<void>;
  /** Takes nothing more; `flushed` is called when all that was taken has been passed on. */
  finish(flushed: () => void): void;
  /** Takes nothing more and drops what waits. */
  drop(): void;
}

export function createOutgoing<Message>(sink: Sink<Message>, max: number): Outgoing<Message> {
  let waiting: Message[] = [];
  let blocked = false;
  let closed = false;
  let whenFlushed: (() => void) | undefined;
  let whenDrained: (() => void)[] = [];

  function tellDrained(): void {
    const told = whenDrained;
    whenDrained = [];
    for (const tell of told) tell();
  }

  function pump(): void {
    let taken = 0;
    while (!blocked && taken < waiting.length) {
      blocked = !sink.write(waiting[taken] as Message);
      taken += 1;
    }
    waiting = waiting.slice(taken);
    if (blocked) sink.once('drain', resume);
    else {
      tellDrained();
      whenFlushed?.();
    }
  }

  function resume(): void {
    blocked = false;
    pump();
  }

  return {
    send(message) {
      if (closed) return 'closed';
      if (waiting.length >= max) return 'full';
      waiting.push(message);
      if (!blocked) pump();
      return 'taken';
    },
    drained: () => (blocked ? new Promise((resolve) => whenDrained.push(resolve)) : Promise.resolve()),
    finish(flushed) {
      if (closed) return;
      closed = true;
      whenFlushed = flushed;
      if (!blocked) pump();
    },
    drop() {
      closed = true;
      waiting = [];
      whenFlushed = undefined;
      tellDrained();
    },
  };
}
