import type { Scenario } from './scenario.ts';

/** Executions that broke earlier drafts of the authority, as the code of today goes through them. */
export const traces: readonly Scenario[] = [
  {
    name: 't13-runtime-replaced',
    title:
      "T13: the workload is replaced: the session for its first life ends, and nothing of that life's evidence is published.",
    async act({ world, sandbox, pass }) {
      await Promise.all([world.operator.replaceRuntime(sandbox), pass(8)]);
    },
  },
  {
    name: 't21-changed-every-three-seconds',
    title: 'T21: the configuration changes every 3 s, and the lease never lapses under a healthy owner.',
    async act({ world, sandbox, pass }) {
      for (let change = 0; change < 10; change += 1)
        await Promise.all([world.operator.expose(sandbox, 'api', 9_000 + change), pass(3)]);
    },
  },
];
