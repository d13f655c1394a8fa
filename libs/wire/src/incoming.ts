/** A readable stream of messages, as grpc-js's calls are. */
export interface Source<Message> {
  on(event: 'data', act: (message: Message) => void): unknown;
  on(event: 'end', act: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** Messages taken from the connection before anybody asks for them; more hold the other side back. */
export const INCOMING_MAX = 16;

export interface Incoming<Message> {
  readonly received: AsyncIterable<Message>;
  /** Nothing follows; what was taken can still be read. */
  over(): void;
}

/**
 * Reads by asking, with back-pressure. Node's own iterator will not do: it destroys the stream, and with it the other
 * direction and the status, when either the reader or the other side has ended.
 */
export function createIncoming<Message>(source: Source<Message>): Incoming<Message> {
  const taken: Message[] = [];
  let paused = false;
  let ended = false;
  let asked: ((result: IteratorResult<Message, undefined>) => void) | undefined;

  source.on('data', (message) => {
    if (asked !== undefined) return answer({ done: false, value: message });
    taken.push(message);
    if (taken.length >= INCOMING_MAX) {
      paused = true;
      source.pause();
    }
  });
  source.on('end', over);

  function answer(result: IteratorResult<Message, undefined>): void {
    const resolve = asked;
    asked = undefined;
    resolve?.(result);
  }

  function over(): void {
    ended = true;
    answer({ done: true, value: undefined });
  }

  function next(): Promise<IteratorResult<Message, undefined>> {
    const first = taken.shift();
    if (first !== undefined) {
      if (paused && taken.length === 0) {
        paused = false;
        source.resume();
      }
      return Promise.resolve({ done: false, value: first });
    }
    if (ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      asked = resolve;
    });
  }

  return { received: { [Symbol.asyncIterator]: () => ({ next }) }, over };
}
