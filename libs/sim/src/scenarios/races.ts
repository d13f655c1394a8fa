import { fence } from '@sallyport/authority';
import type { SandboxId, SessionId } from '@sallyport/model';
import { ownerKey } from '@sallyport/store';
import { encodeOwnership } from '@sallyport/wire';
import type { GatewayNode } from '../nodes/gateway-node.ts';
import type { Scenario, Stage } from './scenario.ts';

/** Executions in which two things pass each other on their way to the store. */
export const races: readonly Scenario[] = [
  {
    name: 't1-judged-again-at-the-echo',
    title:
      'T1: a gateway that sees the store late writes a vector after a fence; the echo comes behind the fence, and nothing is leased.',
    also: /renewals of g|refuses a report|serving-lease/,
    async act(stage) {
      const { world, gatewayOfOwner, until, pass, say } = stage;
      const gateway = gatewayOfOwner();
      say(`what the store tells ${gateway.place} takes 1.2 s from now on`);
      world.network.slow('store', gateway.place, 1_200);
      await pass(3);
      const before = sequenceAt(stage, gateway);
      await until(() => sequenceAt(stage, gateway) > before);
      // Its report for the coming tick has been taken; the tick is less than a second away.
      await pass(0.6);
      fenceOwner(stage, 'a gateway that misses the owner fences it');
      await pass(3.5);
      world.network.slow('store', gateway.place, 0);
      await pass(6);
    },
  },
  {
    name: 't3-published-as-judged',
    title: 'T3: a report is judged on a view that lacks the fence; the publication compares what was judged, and is refused.',
    also: /refuses g\d.*installation/,
    async act(stage) {
      const { world, owner, gatewayOfOwner, until, pass, say } = stage;
      const gateway = gatewayOfOwner();
      const node = owner();
      const session = sessionOnRecord(stage);
      say(`what the store tells ${gateway.place} takes 1.2 s from now on; the session is opened again`);
      world.network.slow('store', gateway.place, 1_200);
      [...(gateway.life()?.replica.sessions.all() ?? [])][0]?.end('trace', 'open it again');
      await until(() => sessionOnRecord(stage) !== session);
      await pass(0.5);
      fenceOwner(stage, `a gateway that misses ${node.place} fences it`);
      await pass(2);
      world.network.slow('store', gateway.place, 0);
      await pass(8);
    },
  },
  {
    name: 't5-lease-behind-a-release',
    title: 'T5: leases that were under way when the owner let go arrive afterwards, and bring nothing back.',
    also: /serving-lease|: released? e/,
    async act(stage) {
      const { world, owner, gatewayOfOwner, pass, say } = stage;
      const gateway = gatewayOfOwner();
      const node = owner();
      say(`what ${gateway.place} tells ${node.place} takes 0.9 s from now on`);
      world.network.slow(gateway.place, node.place, 900);
      await pass(4.95);
      say(`drains ${node.place}, a moment before the tick`);
      node.drain(() => undefined);
      await pass(6);
    },
  },
  {
    name: 't6-released-long-ago',
    title:
      'T6: what a member said of its first tenure arrives when it is offered a second: it names the first, and ends nothing.',
    shape: {
      // With another to go to it would leave one that answers so late.
      gateways: ['g1'],
      members: [{ place: 'm0', of: { kind: 'pool', pool: 'p0' }, delivery: 'push', advertises: true, staysInPod: false }],
    },
    also: /: released e/,
    async act(stage) {
      const { world, owner, gatewayOfOwner, until, owned, pass, say } = stage;
      const node = owner();
      const gateway = gatewayOfOwner();
      const { owner: first } = owned();
      say(`what ${node.place} tells ${gateway.place} takes up to 3 s from now on; it lets go, and stays`);
      world.network.slow(node.place, gateway.place, 3_000);
      node.life()?.instances[0]?.hosted.step({ kind: 'let-go' });
      await until(() => world.truth.world.owners.get(idOf(stage))?.value.epoch !== first.epoch);
      await pass(12);
      world.network.slow(node.place, gateway.place, 0);
      await pass(3);
    },
  },
  {
    name: 't11-vector-of-unknown-outcome',
    title: 'T11: a vector is long under way and its member dies; the next one is written first, and the late one is refused.',
    also: /renewals of|refuses g\d.*renewal/,
    async act(stage) {
      const { world, owner, gatewayOfOwner, until, pass, say } = stage;
      const gateway = gatewayOfOwner();
      const node = owner();
      const before = sequenceAt(stage, gateway);
      await until(() => sequenceAt(stage, gateway) > before);
      say(`what ${gateway.place} sends to the store takes 3.5 s`);
      world.network.slow(gateway.place, 'store', 3_500);
      await pass(1.1);
      say(`that is over; ${node.place} is killed`);
      world.network.slow(gateway.place, 'store', 0);
      node.crash();
      await pass(8);
    },
  },
];

const idOf = ({ world, sandbox }: Pick<Stage, 'world' | 'sandbox'>): SandboxId => world.operator.idOf(sandbox) as SandboxId;

/** Of the newest report whose installation stands, at this gateway. */
function sequenceAt({ world, sandbox }: Stage, gateway: GatewayNode): number {
  const sandboxId = world.operator.idOf(sandbox);
  for (const session of gateway.life()?.replica.sessions.all() ?? [])
    if (session.sandboxId === sandboxId) return session.state().evidence?.sequence ?? 0;
  return 0;
}

function sessionOnRecord({ world, sandbox, owned }: Stage): SessionId | undefined {
  const sandboxId = idOf({ world, sandbox });
  return world.truth.world.session(sandboxId, owned().owner.by)?.value.sessionId;
}

function fenceOwner({ owned, write, say }: Stage, why: string): void {
  const { sandboxId, owner, runtimeId } = owned();
  const fenced = fence(owner, runtimeId, Number(owner.epoch) + 1);
  if (!fenced.ok) throw new Error(fenced.error);
  say(why);
  write(ownerKey(sandboxId), encodeOwnership(fenced.value, 'fate'));
}
