import { expect, test } from 'vitest';
import { type Outcome, ratiosOf } from './figures.ts';

const measured = (median: number, cpuPerOp: number): Outcome => ({ kind: 'measured', median, min: 0, max: 0, cpuPerOp });
const cannot: Outcome = { kind: 'cannot', reason: 'it has no WebSocket' };

test('above 1 we are better, whichever way the figure goes', () => {
  const outcomes = { us: measured(50, 100), nginx: measured(100, 25) };
  const ratios = ratiosOf({ small: outcomes, latency: outcomes }, (name) => (name === 'latency' ? 'less' : 'more'));
  expect(ratios).toEqual({ small: { nginx: { value: 0.5, cpu: 0.25 } }, latency: { nginx: { value: 2, cpu: 0.25 } } });
});

test('who was not measured has no ratio, and without us there is none', () => {
  const figures = { ws: { us: measured(1, 1), fast: cannot }, tls: { us: cannot, nginx: measured(1, 1) } };
  expect(ratiosOf(figures, () => 'more')).toEqual({ ws: {} });
});
