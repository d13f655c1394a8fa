import { createClock } from '@sallyport/process';
import { livelyMachine } from '@sallyport/process/lively';
import { describe, expect, test } from 'vitest';
import { openBench } from '../bench.ts';
import { failureLines } from '../command/report.ts';
import { haproxy } from './haproxy.ts';
import { nginx } from './nginx.ts';
import type { PeerName } from './peer.ts';
import { binaryOf } from './process.ts';

const NODE = { name: 'node', missing: false, title: 'node' } as const;
const PEERS: readonly { readonly name: PeerName; readonly missing: boolean; readonly title: string }[] = [
  NODE,
  ...[nginx, haproxy].map((program) => {
    const missing = binaryOf(program) === undefined;
    return { name: program.name, missing, title: missing ? `${program.name} (${program.installWith})` : program.name };
  }),
];

const SLOW_MACHINE_MS = 120_000;

describe.each(PEERS)('$title', ({ name, missing }) => {
  test.skipIf(missing)(
    'reads what the listener passes on as we do, and takes all valid requests',
    async () => {
      const clock = createClock(livelyMachine);
      const bench = await openBench({ clock, laneCount: 6, peers: [name] });
      const valid = await bench.run({ kind: 'valid', from: 1_000, count: 50 });
      const mutated = await bench.run({ kind: 'mutated', from: 10_000, count: 200 });
      const answers = await bench.run({ kind: 'response', from: 10_000, count: 100 });
      await bench.close();
      clock.stop();
      expect([valid, mutated, answers].flatMap(({ failures }) => failures.flatMap(failureLines))).toEqual([]);
      expect(valid.totals.same[name]).toBe(50);
    },
    SLOW_MACHINE_MS,
  );
});
