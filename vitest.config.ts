import { defineConfig } from 'vitest/config';

/**
 * From the sources of all workspaces: no test waits for a build, and no stale build answers for the code. Never `import` or
 * `default`: Node gets these as `--conditions`, then `require` finds the wrong file of packages that have both.
 */
const conditions = ['@sallyport/source', 'node'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  // What hangs has failed; what a busy machine is slow at has not. No bound of the product is meant by any of these.
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    include: ['{libs,apps}/*/src/**/*.test.ts', 'deploy/testing/**/*.test.ts', 'tools/**/*.test.mjs'],
  },
});
