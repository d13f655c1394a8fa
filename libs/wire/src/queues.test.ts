import { describe, expect, test } from 'vitest';
import { createIncoming, INCOMING_MAX } from './incoming.ts';
import { createOutgoing } from './outgoing.ts';

/** A stream that takes `room` messages, and again as many at each `drain`. */
function createSink(room: number) {
  const taken: number[] = [];
  let free = room;
  let resume: () => void = () => undefined;
  return {
    taken,
    write(message: number): boolean {
      taken.push(message);
      free -= 1;
      return free > 0;
    },
    once: (_event: 'drain', act: () => void) => {
      resume = act;
    },
    drain(): void {
      free = room;
      resume();
    },
  };
}

describe('outgoing messages', () => {
  test('wait in order while the stream is full, and no more than the bound', () => {
    const sink = createSink(2);
    const outgoing = createOutgoing<number>(sink, 3);
    expect([1, 2, 3, 4, 5, 6].map((message) => outgoing.send(message))).toEqual([
      'taken',
      'taken',
      'taken',
      'taken',
      'taken',
      'full',
    ]);
    expect(sink.taken).toEqual([1, 2]);
    sink.drain();
    expect(sink.taken).toEqual([1, 2, 3, 4]);
    expect(outgoing.send(7)).toBe('taken');
    sink.drain();
    expect(sink.taken).toEqual([1, 2, 3, 4, 5, 7]);
  });

  test('are passed on before the end, and nothing is taken after it', () => {
    const sink = createSink(1);
    const outgoing = createOutgoing<number>(sink, 3);
    let ended = 0;
    outgoing.send(1);
    outgoing.send(2);
    outgoing.finish(() => {
      ended += 1;
    });
    expect([outgoing.send(3), ended]).toEqual(['closed', 0]);
    sink.drain();
    sink.drain();
    expect([sink.taken, ended]).toEqual([[1, 2], 1]);
  });

  test('are dropped at once when the stream fails', async () => {
    const sink = createSink(1);
    const outgoing = createOutgoing<number>(sink, 3);
    outgoing.send(1);
    outgoing.send(2);
    const drained = outgoing.drained();
    outgoing.drop();
    await drained;
    sink.drain();
    expect([sink.taken, outgoing.send(3)]).toEqual([[1], 'closed']);
  });

  test('tell when none waits', async () => {
    const sink = createSink(1);
    const outgoing = createOutgoing<number>(sink, 3);
    await outgoing.drained();
    outgoing.send(1);
    const told: string[] = [];
    const drained = outgoing.drained().then(() => told.push('drained'));
    await Promise.resolve();
    expect(told).toEqual([]);
    sink.drain();
    await drained;
  });
});

describe('incoming messages', () => {
  function createSource() {
    const acts: { data?: (message: number) => void; end?: () => void } = {};
    const calls: string[] = [];
    return {
      calls,
      on: (event: 'data' | 'end', act: (message: number) => void) => Object.assign(acts, { [event]: act }),
      pause: () => calls.push('pause'),
      resume: () => calls.push('resume'),
      arrive: (message: number) => acts.data?.(message),
      end: () => acts.end?.(),
    };
  }
  const all = async (received: AsyncIterable<number>): Promise<number[]> => {
    const messages: number[] = [];
    for await (const message of received) messages.push(message);
    return messages;
  };

  test('are read in order, to the end', async () => {
    const source = createSource();
    const { received } = createIncoming<number>(source as never);
    const reading = all(received);
    source.arrive(1);
    source.arrive(2);
    source.end();
    expect(await reading).toEqual([1, 2]);
  });

  test('hold the other side back while nobody reads', async () => {
    const source = createSource();
    const { received } = createIncoming<number>(source as never);
    for (let message = 0; message < INCOMING_MAX; message += 1) source.arrive(message);
    expect(source.calls).toEqual(['pause']);
    const reader = received[Symbol.asyncIterator]();
    for (let message = 0; message < INCOMING_MAX; message += 1) expect((await reader.next()).value).toBe(message);
    expect(source.calls).toEqual(['pause', 'resume']);
  });

  test('that have arrived are still read when the call is over', async () => {
    const source = createSource();
    const incoming = createIncoming<number>(source as never);
    source.arrive(1);
    incoming.over();
    expect(await all(incoming.received)).toEqual([1]);
  });
});
