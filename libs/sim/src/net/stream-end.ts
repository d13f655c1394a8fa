import { type Failure, failure } from '@sallyport/model';
import type { Stream } from '@sallyport/wire';
import type { SimProcess } from '../time/sim-process.ts';
import type { Pipe } from './pipe.ts';

/** One end of a stream, as production sees it (`Stream`) and as the wires do. */
export interface StreamEnd<Sent, Received> extends Stream<Sent, Received> {
  /** A message of the peer has arrived in this process. */
  arrived(message: Received): void;
  /** The call is over, by the peer's word or because the connection broke. */
  over(reason: Failure | undefined): void;
  isOver(): boolean;
}

export interface StreamEndOptions<Sent> {
  readonly owner: SimProcess;
  readonly out: Pipe;
  /** Carries a message to the peer's process. */
  carry(message: Sent): void;
  /** Our side has ended the call: tell the peer, after (`undefined`) or instead of what is under way. */
  ended(reason: Failure | undefined): void;
}

/** One for all: what Node makes for each abort costs more than all else here, and nobody reads it. */
const OVER = new Error('the call is over');

/** libs/wire's own bound for messages behind a slow reader. */
const BEHIND_MAX = 256;

export function createStreamEnd<Sent, Received>({ owner, out, carry, ended }: StreamEndOptions<Sent>): StreamEnd<Sent, Received> {
  const controller = new AbortController();
  const { promise: closed, resolve } = Promise.withResolvers<Failure | undefined>();
  const taken: Received[] = [];
  let isOver = false;
  let asked: ((result: IteratorResult<Received, undefined>) => void) | undefined;

  function answer(result: IteratorResult<Received, undefined>): void {
    const reader = asked;
    asked = undefined;
    reader?.(result);
  }

  function over(reason: Failure | undefined): void {
    if (isOver || !owner.alive()) return;
    isOver = true;
    resolve(reason);
    answer({ done: true, value: undefined });
    controller.abort(OVER);
  }

  function next(): Promise<IteratorResult<Received, undefined>> {
    const first = taken.shift();
    if (first !== undefined) return Promise.resolve({ done: false, value: first });
    if (isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolveNext) => {
      asked = resolveNext;
    });
  }

  function fail(reason: Failure): void {
    if (isOver) return;
    over(reason);
    ended(reason);
  }

  return {
    send(message) {
      if (isOver) return false;
      if (out.waitingCount() >= BEHIND_MAX) {
        fail(failure('lagging', `the other side is ${BEHIND_MAX} messages behind`));
        return false;
      }
      carry(message);
      return true;
    },
    drained: () => (isOver ? Promise.resolve() : out.room()),
    end() {
      if (isOver) return;
      over(undefined);
      ended(undefined);
    },
    fail,
    received: { [Symbol.asyncIterator]: () => ({ next }) },
    signal: controller.signal,
    closed,
    arrived(message) {
      if (isOver) return;
      if (asked !== undefined) answer({ done: false, value: message });
      else taken.push(message);
    },
    over,
    isOver: () => isOver,
  };
}
