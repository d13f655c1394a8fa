import { createHelloReader } from '../hello-reader.ts';
import { HELLO_BYTES_MAX, type HelloReading } from '../reading.ts';
import { mutatedHello } from './mutate.ts';
import { meaningOf } from './oracle.ts';
import { createRandom, type Random } from './random.ts';

/** One case: what was sent, what was read of it, and what it means. They agree, or the reader has a fault. */
export interface Case {
  readonly bytes: Uint8Array;
  readonly read: string;
  readonly means: string;
}

export function fuzzCase(seed: number): Case {
  const random = createRandom(seed);
  const bytes = mutatedHello(random);
  return { bytes, read: textOf(readInSegments(bytes, random)), means: meaningOf(bytes, HELLO_BYTES_MAX) };
}

export const textOf = (reading: HelloReading): string =>
  reading.kind === 'hello' ? reading.serverName : reading.kind === 'refused' ? `! ${reading.reason}` : 'more';

/** As the network may cut them; each segment is a copy of its own, so that no read reaches beyond it unseen. */
function readInSegments(bytes: Uint8Array, random: Random): HelloReading {
  const reader = createHelloReader();
  const longest = random.pick([bytes.length, bytes.length, 1_460, 100, 10, 1]);
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, from + 1 + random.below(Math.max(1, longest)));
    const reading = reader.push(bytes.slice(from, to));
    if (reading.kind !== 'more') return reading;
    from = to;
  }
  return { kind: 'more' };
}
