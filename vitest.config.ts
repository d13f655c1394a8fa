import { defineConfig } from 'vitest/config';

/**
 * From the sources of all workspaces: no test waits for a build, and no stale build answers for the code. Never `import` or
 * `default`: Node gets these as `--conditions`, then `require` finds the wrong file of packages that have both.
 */
const conditions = ['@sallyport/source', 'node'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  // What hangs has failed; what a busy machine is slow at has not.
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    include: ['{libs,apps}/*/src/**/*.test.ts', 'deploy/testing/**/*.test.ts', 'tools/**/*.test.mjs'],
  },
});
