import { defineConfig } from 'vitest/config';
import base from '../../../../vitest.config.ts';

/** What takes real minutes or a whole machine: `nx run e2e:e2e`, which `npm test` leaves out. One file after the other. */
export default defineConfig({
  ...base,
  test: { include: ['apps/e2e/src/**/testing/*.e2e.ts'], fileParallelism: false },
});
