import { defineConfig } from 'vitest/config';

/** From the sources of all workspaces: no test waits for a build, and no stale build answers for the code. */
const conditions = ['@sallyport/source', 'node', 'import', 'module', 'default'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: { include: ['{libs,apps}/*/src/**/*.test.ts', 'tools/**/*.test.mjs'] },
});
