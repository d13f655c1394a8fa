import { DEDICATED, type Scenario } from './scenario.ts';

/** How ownership passes on, or comes back. */
export const takeovers: readonly Scenario[] = [
  {
    name: 'release',
    title:
      'T4, T19, T20: the owner drains, and stays published until its successor, under a session of its own, has installed and reported.',
    async act({ owner, pass }) {
      owner().drain(() => undefined);
      await pass(16);
    },
  },
  {
    name: 'takeover-by-wait',
    title: 'The owner is killed with its machine: fenced when its silence is noticed, offered 17 s after that was seen.',
    async act({ world, owner, pass, say }) {
      const node = owner();
      say(`cuts ${node.place} off and kills it`);
      for (const { place } of world.gateways) world.network.block(node.place, place);
      node.crash();
      await pass(50);
    },
  },
  {
    name: 'takeover-dedicated',
    title: 'T7: the owner was dedicated and lives on freshness, so its successor waits 33 s.',
    shape: DEDICATED,
    async act({ owner, pass, say }) {
      const node = owner();
      say(`kills ${node.place}`);
      node.crash();
      await pass(55);
    },
  },
  {
    name: 'suspect-returns',
    title: 'T8: a fenced owner that was merely paused comes back by acknowledging the fence, never by an offer.',
    async act({ owner, pass, say }) {
      const { process } = owner().life() ?? {};
      say(`pauses ${process?.name} for 20 s`);
      process?.pause(20_000);
      await pass(40);
    },
  },
  {
    name: 'paused-owner-overtaken',
    title: 'The owner is paused for 60 s and overtaken meanwhile; what it wakes up with serves nobody.',
    async act({ owner, pass, say }) {
      const { process } = owner().life() ?? {};
      say(`pauses ${process?.name} for 60 s`);
      process?.pause(60_000);
      await pass(75);
    },
  },
  {
    name: 'slept-and-set-back',
    title:
      'The machine of the owner sleeps for 60 s and its wall clock is set back by a little more: it wakes up, and knows, and serves nobody.',
    async act({ owner, pass, say }) {
      const { process } = owner().life() ?? {};
      say(`suspends the machine of ${process?.name} for 60 s`);
      process?.suspend(60_000);
      await pass(30);
      say('sets its wall clock back by 70 s');
      process?.setWall(-70_000);
      await pass(45);
    },
  },
  {
    name: 'offer-to-the-dead',
    title: 'T18: the member that was offered the sandbox dies before it answers; the offer goes on to the next.',
    async act({ world, owner, other, pass, say }) {
      const [first, second] = [owner(), other()];
      say(`kills ${first.place}`);
      first.crash();
      await pass(1);
      world.startSupervisor(first);
      // Kill whoever is offered it, as soon as it is.
      for (let tenth = 0; tenth < 400; tenth += 1) {
        await pass(0.1);
        const sandboxId = world.operator.idOf(world.sandboxes[0] as never);
        const record = sandboxId === undefined ? undefined : world.truth.world.owners.get(sandboxId)?.value;
        if (record?.kind !== 'fencing') continue;
        break;
      }
      await pass(16.9);
      say(`kills ${second.place}`);
      second.crash();
      await pass(25);
    },
  },
];
