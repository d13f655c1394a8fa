import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';
import { observeProcess } from './process-metrics.ts';

test.each([
  ['every check holds', [true, true], 1],
  ['there is nothing to check', [], 1],
  ['one check fails', [true, false], 0],
  ['all fail', [false], 0],
])('a process where %s', async (_title, checks, want) => {
  const metrics = createMetrics();
  const ready = () => checks.map((ok, index) => ({ name: `check ${index}`, ok }));
  observeProcess(metrics, { app: 'gateway', version: '1.2.3', ready, clockJumpCount: () => 2 });
  const text = await metrics.text();
  expect(text).toContain('sallyport_process_info{app="gateway",version="1.2.3"} 1\n');
  expect(text).toContain(`sallyport_process_ready ${want}\n`);
  expect(text).toContain('sallyport_process_clock_jumps 2\n');
});
