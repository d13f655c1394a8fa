import { expect, test } from 'vitest';
import type { Outcome } from '../measure/figures.ts';
import { readReference, voidedBy } from './reference.ts';

const TEXT = `# Speed
Machine: two cores of a kind

| scenario | unit | us | nginx | fast-proxy |
| --- | --- | ---: | ---: | ---: |
| small | requests/s | 9,000 | 13,300 | 4,100.5 |
| latency | µs | 90 | 70 | |
| ws-64 | messages/s | 8,000 | 10,000 | - |

| scenario | other |
| --- | --- |
| small | 1 |
`;
const reference = readReference(TEXT);

test('reads the first table of scenarios', () => {
  expect(reference).toEqual({
    machine: 'two cores of a kind',
    figures: {
      small: { us: 9_000, nginx: 13_300, 'fast-proxy': 4_100.5 },
      latency: { us: 90, nginx: 70 },
      'ws-64': { us: 8_000, nginx: 10_000 },
    },
  });
});

test.each(['', '| scenario | unit |\n| --- | --- |', 'Machine: one\n| name | unit |'])('there is none in %j', (text) => {
  expect(readReference(text)).toBe(undefined);
});

const measured = (median: number): Outcome => ({ kind: 'measured', median, min: 0, max: 0, cpuPerOp: 0 });
const rows: [title: string, scenario: string, outcomes: Record<string, Outcome>, want: RegExp[]][] = [
  ['a peer as it was', 'small', { nginx: measured(13_300) }, []],
  ['a peer at four fifths', 'small', { nginx: measured(10_640) }, []],
  ['a peer below', 'small', { nginx: measured(10_000) }, [/small: nginx did 0\.75/]],
  ['two peers below', 'small', { nginx: measured(1), 'fast-proxy': measured(1) }, [/nginx/, /fast-proxy/]],
  ['a peer that takes longer', 'latency', { nginx: measured(100) }, [/latency: nginx did 0\.70/]],
  ['a peer that is faster', 'latency', { nginx: measured(10) }, []],
  ['we ourselves', 'small', { us: measured(1) }, []],
  ['a peer without a figure', 'small', { caddy: measured(1) }, []],
  ['a peer that failed', 'small', { nginx: { kind: 'failed', reason: 'x' } }, []],
  ['a scenario without figures', 'sse', { nginx: measured(1) }, []],
];

test.each(rows)('%s', (_title, scenario, outcomes, want) => {
  if (reference === undefined) throw new Error('no reference');
  const lines = voidedBy(reference, { [scenario]: outcomes }, (name) => (name === 'latency' ? 'less' : 'more'), 'us');
  expect(lines.length).toBe(want.length);
  for (const [index, line] of lines.entries()) expect(line).toMatch(want[index] ?? /never/);
});
