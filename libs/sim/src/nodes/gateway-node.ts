import type { World } from '@sallyport/authority';
import {
  createDeclarations,
  createRegistrations,
  type Declarations,
  type Registrations,
  type Replica,
  type ReplicaOptions,
  startReplica,
} from '@sallyport/gateway/replica';
import { err, type Failure, failure, fenced, ok, type PoolId, type Result, type SandboxId } from '@sallyport/model';
import type { SigningKeys } from '@sallyport/wire';
import type { HowKilled, SimProcess } from '../time/sim-process.ts';
import { driverLink } from './driver-link.ts';
import { boundaryAuthority } from './signatures.ts';
import { simLog } from './sim-log.ts';
import { DOMAIN, type Surroundings } from './surroundings.ts';

/** One life of a gateway: production's replica over simulated ports. */
export interface GatewayLife {
  readonly process: SimProcess;
  readonly replica: Replica;
  readonly declarations: Declarations;
  readonly registrations: Registrations;
}

/** A place where a gateway runs, dies and is started again. */
export interface GatewayNode {
  readonly place: string;
  /** Undefined while none runs, or while it still starts. */
  life(): GatewayLife | undefined;
  /** Undefined while none runs. */
  process(): SimProcess | undefined;
  start(): void;
  crash(): void;
  /** In good order: it gives its key up, then ends. */
  stop(): void;
}

export function createGatewayNode(place: string, surroundings: Surroundings): GatewayNode {
  const { store, court, transcript } = surroundings;
  let process: SimProcess | undefined;
  let life: GatewayLife | undefined;

  async function begin(mine: SimProcess): Promise<void> {
    const driver = driverLink(mine, place, surroundings);
    const replica = await startReplica({
      store: store.connect(mine, place),
      clock: mine.clock,
      unixMs: mine.unixMs,
      log: simLog(mine, transcript),
      randomId: mine.randomId,
      driver,
      prove: proofOf(driver),
      boundary: boundaryAuthority,
      address: () => place,
      version: 'sim',
      onRefused: (clause) => transcript.say('detail', mine.name, `refuses a report: ${clause}`),
    });
    const { world, reached, writer } = replica;
    const declarations = createDeclarations({ world, reached, writer, domain: DOMAIN });
    const registrations = createRegistrations({ world, reached, writer, driver, keys, randomId: mine.randomId });
    if (process === mine) life = { process: mine, replica, declarations, registrations };
  }

  function end(mine: SimProcess, how: HowKilled): void {
    mine.kill(how);
    if (process !== mine) return;
    process = undefined;
    life = undefined;
  }

  return {
    place,
    life: () => life,
    process: () => process,
    start() {
      if (process !== undefined) return;
      const mine = surroundings.spawn(place);
      process = mine;
      transcript.say('story', mine.name, 'starts');
      begin(mine).catch((error: Error) => court.broken('nothing throws', `${mine.name} cannot start: ${error.stack}`));
    },
    crash() {
      if (process !== undefined) end(process, 'suddenly');
    },
    stop() {
      const mine = process;
      if (mine === undefined || life === undefined) return;
      // Its port closes at once; calls end within the second that production gives them.
      void life.replica.stop().then(() => end(mine, 'in order'));
      life = undefined;
    },
  };
}

/** As a sandbox token says it, without the signature: signing is asynchronous for real, and not what is tried here. */
export const sandboxToken = (sandboxId: SandboxId, poolId: PoolId, credentialEpoch: bigint): string =>
  `token:${sandboxId}:${poolId}:${credentialEpoch}`;

const keys: SigningKeys = {
  sign: () => Promise.resolve('unsigned'),
  verifier: () => undefined,
  problem: () => undefined,
  close: () => undefined,
};

type Prove = ReplicaOptions['prove'];

/** What production's proof does (apps/gateway credentials.ts), on tokens that need no cryptography. */
function proofOf(driver: ReplicaOptions['driver']): Prove {
  return (world: World) =>
    async (
      credential,
    ): Promise<
      Result<{ poolId: PoolId; supervisorUid: string; exclusive?: boolean; sandboxId: SandboxId | undefined }, Failure>
    > => {
      const [kind, sandboxId, poolId, epoch] = credential.split(':');
      if (kind !== 'token') return driver.authenticate(credential);
      if (world.sandboxes.get(sandboxId as SandboxId)?.value.poolId !== poolId)
        return err(failure('unauthenticated', 'the token is for a sandbox that no longer exists'));
      if (world.credentials.get(sandboxId as SandboxId)?.value !== BigInt(epoch ?? 0))
        return err(fenced('credential', 'the token was revoked'));
      return ok({ poolId: poolId as PoolId, supervisorUid: '', sandboxId: sandboxId as SandboxId });
    };
}
