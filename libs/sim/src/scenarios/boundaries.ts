import { BEHIND_BOUNDARY, DEDICATED, type Scenario } from './scenario.ts';

/** What the boundary beside the application makes of owners that were left behind, and what else is proof of an end. */
export const boundaries: readonly Scenario[] = [
  {
    name: 'boundary-takeover',
    title:
      'The owner is merely paused. Its boundary obeys the fence, another serves at once, and what it wakes up with reaches nothing.',
    shape: BEHIND_BOUNDARY,
    also: /refuses bytes/,
    async act({ owner, pass, say }) {
      const { process } = owner().life() ?? {};
      say(`pauses ${process?.name} for 40 s`);
      process?.pause(40_000);
      await pass(50);
    },
  },
  {
    name: 't16-boundary-restarted',
    title:
      'T16: the boundary restarts after a takeover and forgets its highest epoch; the old owner comes with its token, whose nonce this life never issued.',
    shape: BEHIND_BOUNDARY,
    also: /refuses bytes/,
    async act({ world, owner, pass, say }) {
      const { process } = owner().life() ?? {};
      say(`pauses ${process?.name} for 25 s`);
      process?.pause(25_000);
      await pass(24);
      const [boundary] = world.boundaries.all();
      say(`kills ${boundary?.life()?.process.name} and starts it again`);
      boundary?.crash();
      boundary?.start();
      await pass(10);
    },
  },
  {
    name: 't17-workload-replaced-under-a-fence',
    title:
      'T17: the workload is replaced under a paused owner. The boundary of its new life cannot speak for the old one: the wait is waited out.',
    shape: BEHIND_BOUNDARY,
    also: /fence/,
    async act({ world, sandbox, owner, pass, say }) {
      const { process } = owner().life() ?? {};
      say(`pauses ${process?.name} for 60 s`);
      process?.pause(60_000);
      await pass(10);
      await Promise.all([world.operator.replaceRuntime(sandbox), pass(60)]);
    },
  },
  {
    name: 't22-crash-loop',
    title:
      'T22: a dedicated supervisor crashes twice in its Pod. The driver knows that no two live there, and its successor waits for nobody.',
    shape: {
      ...DEDICATED,
      members: [{ place: 'd0', of: { kind: 'sandbox', sandbox: 's0' }, delivery: 'push', advertises: true, staysInPod: true }],
    },
    async act({ world, owner, pass, say }) {
      for (let crash = 0; crash < 2; crash += 1) {
        const node = owner();
        say(`kills ${node.life()?.process.name}; its container is started again`);
        node.crash();
        await pass(1);
        world.startSupervisor(node);
        await pass(4);
      }
    },
  },
];
