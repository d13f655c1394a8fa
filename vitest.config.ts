import { defineConfig } from 'vitest/config';

const conditions = ['@sallyport/source', 'node', 'import', 'module', 'default'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: { include: ['{libs,apps}/*/src/**/*.test.ts'] },
});
