import type { SessionRecord } from '@sallyport/authority';
import type { MemberId, SandboxId, SessionId } from '@sallyport/model';
import { sessionKey } from '@sallyport/store';
import { encodeSession } from '@sallyport/wire';
import type { Scenario } from './scenario.ts';

/** What is lost and comes back: gateways, the store, readers. */
export const losses: readonly Scenario[] = [
  {
    name: 'gateway-lost',
    title: 'T14: the gateway of the owner dies: another adopts the session, ownership stays, serving goes on.',
    async act({ gatewayOfOwner, pass, say }) {
      const node = gatewayOfOwner();
      say(`kills ${node.place}`);
      node.crash();
      await pass(40);
    },
  },
  {
    name: 'gateway-stands-still',
    title:
      'The gateway of the owner is stopped for 20 s: what it is asked has no answer, another takes the member first, and then this one is left.',
    async act({ gatewayOfOwner, pass, say }) {
      const process = gatewayOfOwner().process();
      say(`pauses ${process?.name} for 20 s`);
      process?.pause(20_000);
      await pass(40);
    },
  },
  {
    name: 'gateway-and-owner-pause',
    title:
      'The owner and its gateway stand still together, as on one busy machine: neither leaves the other for what it has not heard.',
    async act({ gatewayOfOwner, owner, pass, say }) {
      const [gateway, supervisor] = [gatewayOfOwner().process(), owner().life()?.process];
      say(`pauses ${gateway?.name} and ${supervisor?.name} for 3 s`);
      gateway?.pause(3_000);
      supervisor?.pause(3_000);
      await pass(10);
    },
  },
  {
    name: 'gateway-restarted',
    title: 'T12: a gateway that is started again makes another key; the old one runs out by itself.',
    async act({ gatewayOfOwner, pass, say }) {
      const node = gatewayOfOwner();
      say(`kills ${node.place} and starts it again`);
      node.crash();
      node.start();
      await pass(25);
    },
  },
  {
    name: 'gateway-leaves',
    title: 'A gateway leaves in good order: its key goes at once, members and sessions go to the other.',
    async act({ gatewayOfOwner, pass, say }) {
      const node = gatewayOfOwner();
      say(`stops ${node.place}`);
      node.stop();
      await pass(15);
    },
  },
  {
    name: 'store-lost',
    title: 'The store is away for 40 s: nothing is granted, records run out, serving ends; then all comes back by itself.',
    async act({ world, pass, say }) {
      say('stops the store for 40 s');
      world.store.stop(40_000);
      await pass(80);
    },
  },
  {
    name: 'reader-restarted',
    title: 'T10: a reader that is started again shows nothing on the strength of what it merely listed.',
    async act({ world, owner, pass, say }) {
      const reader = world.readers[0];
      const node = owner();
      say(`kills ${node.place}, then starts the reader again`);
      node.crash();
      await pass(0.5);
      reader?.crash();
      reader?.start();
      await pass(30);
    },
  },
  {
    name: 'member-joins-again',
    title: 'T15: the connections of the owner are reset and it joins again; the late clean-up of its first Join removes nobody.',
    async act({ world, owner, pass, say }) {
      const node = owner();
      say(`resets the connections of ${node.place}`);
      for (const { place } of world.gateways) world.connections.cut(place, node.place);
      await pass(10);
    },
  },
  {
    name: 'late-join-given-back',
    title:
      'The owner tries another gateway while its own stands still, gives that up and stays; that Join gets on record late, over its own, and the record is given back: nothing is hidden.',
    also: /another is tried/,
    async act({ world, gatewayOfOwner, pass, say }) {
      const own = gatewayOfOwner();
      const other = world.gateways.find((each) => each !== own) as typeof own;
      say(`pauses ${own.process()?.name} for 1.8 s; what ${other.place} sends to the store takes 4 s`);
      world.network.slow(other.place, 'store', 4_000);
      own.process()?.pause(1_800);
      await pass(4.5);
      world.network.slow(other.place, 'store', 0);
      await pass(12);
    },
  },
  {
    name: 'session-never-opened',
    title:
      'A session is put on record by a write of unknown outcome and never opened, and its member dies: it is missed in time.',
    async act({ world, sandbox, owner, pass, say }) {
      const sandboxId = world.operator.idOf(sandbox) as SandboxId;
      const node = owner();
      const memberId = node.life()?.memberId as MemberId;
      const session = world.truth.world.session(sandboxId, memberId)?.value as SessionRecord;
      say(`writes a session of ${memberId} that nobody opened, and kills ${node.place}`);
      const value = encodeSession({ ...session, sessionId: 'never-opened' as SessionId }, 'op');
      await world.store.direct.commit({ guards: [], changes: [{ kind: 'put', key: sessionKey(sandboxId, memberId), value }] });
      node.crash();
      await pass(60);
    },
  },
];
