import type { Scenario } from './scenario.ts';

/** Executions that broke earlier drafts of the authority, as the code of today goes through them. */
export const traces: readonly Scenario[] = [
  {
    name: 't2-fence-commits-late',
    title: 'T2: the fence is sent, and commits 4 s later; the wait of 17 s begins when the committed record is seen.',
    async act({ world, owner, gatewayOfOwner, pass, say }) {
      const { place } = gatewayOfOwner();
      const node = owner();
      say(`kills ${node.place}; what ${place} sends to the store takes 4 s from now on`);
      node.crash();
      world.network.slow(place, 'store', 4_000);
      await pass(10);
      world.network.slow(place, 'store', 0);
      await pass(20);
    },
  },
  {
    name: 't9-vectors-long-in-flight',
    title: 'T9: a vector that was long in flight adds nothing to what a reader shows: time is counted from its own echo.',
    async act({ world, owner, gatewayOfOwner, pass, say }) {
      const { place } = gatewayOfOwner();
      say(`what ${place} sends to the store takes 1.5 s from now on`);
      world.network.slow(place, 'store', 1_500);
      await pass(20);
      const { process } = owner().life() ?? {};
      say(`pauses ${process?.name} for 14 s: too short to be suspected, too long to be shown`);
      process?.pause(14_000);
      await pass(25);
    },
  },
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
      for (let change = 0; change < 4; change += 1)
        await Promise.all([world.operator.expose(sandbox, 'api', 9_000 + change), pass(3)]);
    },
  },
];
