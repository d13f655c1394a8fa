import { defineConfig } from 'vitest/config';
import base from '../../../../vitest.config.ts';

/** What needs thousands of sandboxes: `npm run e2e -- --scale`. Never part of `npm test`, and nothing beside it. */
export default defineConfig({
  ...base,
  test: { include: ['apps/e2e/src/authority/testing/scale/*.scale.ts'], fileParallelism: false },
});
