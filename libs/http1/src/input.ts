import type { Bytes } from './bytes.ts';
import type { Limits } from './limits.ts';

/** The pushed chunks that were not read yet. Almost always one; more only while the caller leaves a pipeline unread. */
export interface Input<B> {
  /** The chunk that is being read, from `at`; undefined when all is read. Never empty from `at`. */
  chunk: B | undefined;
  at: number;
  /** The peer will send no more. */
  ended: boolean;
  /** More was pushed than may be held. */
  overflowed: boolean;
  push(chunk: B): boolean;
  /** Goes on to position `at` of the present chunk, or to the next chunk if that is its end. */
  moveTo(at: number): void;
  /** A view of up to `max` bytes, which count as read. */
  view(max: number): B;
  unread(): number;
  /** What is unread of the present chunk was only lent: a copy takes its place. */
  own(copy: (lent: B) => B): void;
  takeRest(): B[];
}

export function createInput<B extends Bytes<B>>(limits: Limits): Input<B> {
  const queue: B[] = [];
  let queuedBytes = 0;

  const input: Input<B> = {
    chunk: undefined,
    at: 0,
    ended: false,
    overflowed: false,
    push(chunk) {
      if (chunk.length === 0) return true;
      if (input.chunk === undefined) {
        input.chunk = chunk;
        input.at = 0;
      } else {
        if (input.unread() + chunk.length > limits.bufferedBytesMax || queue.length >= limits.bufferedPiecesMax) {
          input.overflowed = true;
          return false;
        }
        queue.push(chunk);
        queuedBytes += chunk.length;
      }
      return input.unread() <= limits.bufferedBytesSoft && queue.length < limits.bufferedPiecesSoft;
    },
    moveTo(at) {
      input.at = at;
      if (input.chunk === undefined || at < input.chunk.length) return;
      input.chunk = queue.shift();
      input.at = 0;
      if (input.chunk !== undefined) queuedBytes -= input.chunk.length;
    },
    view(max) {
      const { chunk, at } = input;
      if (chunk === undefined) throw new Error('no input to view');
      const end = Math.min(chunk.length, at + max);
      const view = at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end);
      input.moveTo(end);
      return view;
    },
    unread: () => (input.chunk === undefined ? 0 : input.chunk.length - input.at + queuedBytes),
    own(copy) {
      if (input.chunk === undefined) return;
      input.chunk = copy(input.at === 0 ? input.chunk : input.chunk.subarray(input.at));
      input.at = 0;
    },
    takeRest() {
      const rest: B[] = [];
      while (input.chunk !== undefined) rest.push(input.view(input.chunk.length));
      return rest;
    },
  };
  return input;
}
