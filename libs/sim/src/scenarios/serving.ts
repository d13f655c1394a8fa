import type { Scenario } from './scenario.ts';

/** From a declaration to a served and shown sandbox, and what ends that on purpose. */
export const serving: readonly Scenario[] = [
  {
    name: 'start',
    title: 'From nothing to a sandbox that is served and shown: joined, offered, pushed, applied, owned, published, leased.',
    skipsStart: false,
    async act({ world, pass }) {
      world.begin();
      await pass(12);
    },
  },
  {
    name: 'start-polling',
    title: 'The same with members that poll: the configuration travels by calls, challenges stay on the session.',
    shape: {
      members: ['m0', 'm1'].map((place) => ({
        place,
        of: { kind: 'pool', pool: 'p0' },
        delivery: 'poll',
        advertises: true,
        staysInPod: false,
      })),
    },
    skipsStart: false,
    async act({ world, pass }) {
      world.begin();
      await pass(14);
    },
  },
  {
    name: 'configuration-pushed',
    title: 'A second service is exposed: pushed, applied, published anew; the first is served all the time.',
    async act({ world, sandbox, pass }) {
      await Promise.all([world.operator.expose(sandbox, 'api', 9_000), pass(6)]);
    },
  },
  {
    name: 'withdrawal',
    title: 'The only service is withdrawn: it is gone from the owner and from discovery at once.',
    async act({ world, sandbox, pass }) {
      await Promise.all([world.operator.withdraw(sandbox, 'web'), pass(6)]);
    },
  },
  {
    name: 'credential-bumped',
    title: 'Its credentials are revoked: what was published ends at once, the member proves itself again and is published anew.',
    async act({ world, sandbox, pass }) {
      await Promise.all([world.operator.bumpCredential(sandbox), pass(8)]);
    },
  },
  {
    name: 'made-again',
    title: 'A sandbox is deleted and made again under its name: another id, and nothing of the first reaches the second.',
    async act({ world, sandbox, pass }) {
      const { operator, pods } = world;
      const remake = async (): Promise<void> => {
        await operator.remove(sandbox);
        pods.replace(sandbox.workspace, sandbox.sandbox);
        await operator.register(sandbox);
        await operator.expose(sandbox, 'web', 8_080);
      };
      await Promise.all([remake(), pass(10)]);
    },
  },
];
