import type { Ownership } from '@sallyport/authority';
import type { RuntimeId, SandboxId } from '@sallyport/model';
import type { GatewayLife, GatewayNode } from '../nodes/gateway-node.ts';
import type { SandboxSpec } from '../nodes/operator.ts';
import type { SupervisorNode } from '../nodes/supervisor-node.ts';
import { createRandom } from '../random.ts';
import type { Shape } from '../shape.ts';
import type { Violation } from '../truth/violations.ts';
import { createSimWorld, type SimWorld } from '../world.ts';

/** A scripted history, whose transcript is kept beside it and compared. */
export interface Scenario {
  /** Of its file. */
  readonly name: string;
  /** What a reader should see in it; its first line. */
  readonly title: string;
  readonly shape?: Partial<Shape>;
  /** Of the detail, the lines that the story cannot be understood without. */
  readonly also?: RegExp;
  /** Left out of the transcript: what comes before the history begins. */
  readonly skipsStart?: boolean;
  act(stage: Stage): Promise<void>;
}

/** A world with true clocks and a network without surprises, and the words to move it. */
export interface Stage {
  readonly world: SimWorld;
  pass(seconds: number): Promise<void>;
  /** The first sandbox. */
  readonly sandbox: SandboxSpec;
  /** Who owns the first sandbox on record; throws when nobody does. */
  owner(): SupervisorNode;
  /** Its record, which says who owns it now; throws when nobody does. */
  owned(): OwnedRecord;
  /** Lets time pass in small steps until this holds; throws after a minute. */
  until(holds: () => boolean): Promise<void>;
  /** Writes into the store as a gateway would that nobody here sees. */
  write(key: string, value: Uint8Array): void;
  /** The other member of its pool. */
  other(): SupervisorNode;
  /** Where the owner's session is. */
  gatewayOfOwner(): GatewayNode & { life(): GatewayLife | undefined };
  say(what: string): void;
}

export interface OwnedRecord {
  readonly sandboxId: SandboxId;
  readonly owner: Extract<Ownership, { kind: 'owned' }>;
  readonly runtimeId: RuntimeId;
}

export const SMALL: Shape = {
  gateways: ['g0', 'g1'],
  members: ['m0', 'm1'].map((place) => ({
    place,
    of: { kind: 'pool', pool: 'p0' },
    delivery: 'push',
    advertises: true,
    staysInPod: false,
  })),
  readers: ['r0'],
  consumers: [],
  sandboxes: [{ workspace: 'team', name: 's0', mode: 'shared', pool: 'p0', published: true, boundary: false }],
  calm: true,
};

/** The same small world, with a dedicated sandbox whose supervisor is there twice. */
export const DEDICATED: Partial<Shape> = {
  members: ['d0', 'd1'].map((place) => ({
    place,
    of: { kind: 'sandbox', sandbox: 's0' },
    delivery: 'push',
    advertises: true,
    staysInPod: false,
  })),
  sandboxes: [{ workspace: 'team', name: 's0', mode: 'dedicated', pool: '', published: true, boundary: false }],
};

/** The small world with a boundary beside the application. */
export const BEHIND_BOUNDARY: Partial<Shape> = {
  sandboxes: [{ workspace: 'team', name: 's0', mode: 'shared', pool: 'p0', published: true, boundary: true }],
};

export interface Played {
  readonly text: string;
  readonly violations: readonly Violation[];
}

/** By then everybody has joined, the sandbox is served and shown, and nobody is young enough not to be suspected. */
const START_S = 30;

export async function play({ title, shape, also, skipsStart = true, act }: Scenario): Promise<Played> {
  const world = createSimWorld({
    shape: { ...SMALL, ...shape },
    random: createRandom(1),
    reads: also === undefined ? 'story' : { also },
  });
  const stage = stageOf(world);
  let from = 0;
  if (skipsStart) {
    world.begin();
    await stage.pass(START_S);
    from = world.transcript.lines().length;
  }
  await act(stage);
  const lines = world.transcript.lines().slice(from);
  return { text: `${[title, '', ...lines].join('\n')}\n`, violations: world.court.violations };
}

function stageOf(world: SimWorld): Stage {
  const sandbox = world.sandboxes[0] as SandboxSpec;

  function owner(): SupervisorNode {
    const sandboxId = world.operator.idOf(sandbox);
    const owned = sandboxId === undefined ? undefined : world.truth.world.owners.get(sandboxId)?.value;
    const node = world.supervisors.find((each) => owned?.kind === 'owned' && each.life()?.memberId === owned.by);
    if (node === undefined) throw new Error(`nobody alive owns ${sandbox.sandbox}`);
    return node;
  }

  function owned(): OwnedRecord {
    const sandboxId = world.operator.idOf(sandbox) as SandboxId;
    const owner = world.truth.world.owners.get(sandboxId)?.value;
    const runtimeId = world.truth.world.sandboxes.get(sandboxId)?.value.runtimeId;
    if (owner?.kind !== 'owned' || runtimeId === undefined) throw new Error(`nobody owns ${sandbox.sandbox}`);
    return { sandboxId, owner, runtimeId };
  }

  return {
    world,
    sandbox,
    owned,
    async until(holds) {
      for (let step = 0; !holds(); step += 1) {
        if (step >= 6_000) throw new Error('it never came to that');
        await world.run(10);
      }
    },
    write: (key, value) => void world.store.direct.commit({ guards: [], changes: [{ kind: 'put', key, value }] }),
    pass: (seconds) => world.run(seconds * 1_000),
    owner,
    other: () => world.supervisors.find((each) => each !== owner()) as SupervisorNode,
    gatewayOfOwner() {
      const sandboxId = world.operator.idOf(sandbox);
      const memberId = owner().life()?.memberId;
      const held = sandboxId === undefined || memberId === undefined ? undefined : world.truth.world.session(sandboxId, memberId);
      const node = world.gateways.find((each) => each.life()?.replica.membership.current()?.gatewayId === held?.value.gatewayId);
      if (node === undefined) throw new Error('its gateway is gone');
      return node;
    },
    say: (what) => world.transcript.say('story', 'fate', what),
  };
}
