import { join } from 'node:path';
import { root } from './root.mjs';

const at = (path) => join(root, path);

/** Run from the sources of all workspaces: nothing has to be built first. */
const fromSource = (entry) => ['--conditions=@sallyport/source', at(entry)];

/** What `node tools/start.mjs NAME` runs, as arguments for the pinned Node. A new command is a new row. */
export const commands = {
  dev: { run: fromSource('apps/dev/src/main.ts') },
  cli: { run: fromSource('apps/cli/src/main.ts') },
  test: { run: [at('tools/test.mjs')] },
  e2e: { run: [at('tools/e2e.mjs')] },
  chaos: { run: fromSource('apps/e2e/src/testing/chaos/main.ts') },
  fuzz: { run: fromSource('apps/e2e/src/fuzz/main.ts') },
  bench: { run: fromSource('apps/bench/src/command/main.ts') },
  sim: { run: fromSource('libs/sim/src/main.ts') },
  mutants: { run: fromSource('libs/mutants/src/main.ts') },
  check: { run: [at('tools/check.mjs')] },
  gen: { run: [at('tools/gen.mjs')] },
  build: { run: [at('tools/nx.mjs'), 'run-many', '-t', 'build'] },
};

export function usage(name) {
  const known = `commands: ${Object.keys(commands).join(', ')}`;
  return name === undefined ? known : `no command ${JSON.stringify(name)}; ${known}`;
}
