import { type Mode, nameKey, type World } from '@sallyport/authority';
import {
  DEFAULT_POLICY,
  type Failure,
  type PoolId,
  type Result,
  type SandboxId,
  type SandboxName,
  type ServiceName,
  type WorkspaceId,
} from '@sallyport/model';
import { grantKey } from '@sallyport/store';
import { encodeGrant } from '@sallyport/wire';
import type { Random } from '../random.ts';
import { PRINCIPAL } from './consumer-node.ts';
import type { GatewayLife, GatewayNode } from './gateway-node.ts';
import type { Surroundings } from './surroundings.ts';

/** A sandbox that the operator wants: by name, since ids are the gateway's to make. */
export interface SandboxSpec {
  readonly workspace: WorkspaceId;
  readonly sandbox: SandboxName;
  readonly mode: Mode;
  /** Of a shared one. */
  readonly poolId: PoolId;
  /** Whether its supervisors report what they have installed. */
  readonly published: boolean;
}

/** Whoever uses the operator API: asks any gateway, and asks again until it is done. One wish at a time for each sandbox. */
export interface Operator {
  register(spec: SandboxSpec): Promise<void>;
  expose(spec: SandboxSpec, service: string, port: number): Promise<void>;
  withdraw(spec: SandboxSpec, service: string): Promise<void>;
  bumpCredential(spec: SandboxSpec): Promise<void>;
  remove(spec: SandboxSpec): Promise<void>;
  /** The workload begins another life, and the record follows. */
  replaceRuntime(spec: SandboxSpec): Promise<void>;
  /** What those who follow discovery may see, by a gateway that is always there. */
  grant(workspaces: readonly WorkspaceId[]): void;
  idOf(spec: SandboxSpec): SandboxId | undefined;
}

const PATIENCE_MS = 8_000;
const AGAIN_MS = 700;

export function createOperator(
  gateways: readonly GatewayNode[],
  world: World,
  random: Random,
  { schedule, pods, store, transcript }: Surroundings,
): Operator {
  let grantEpoch = 0n;
  const who = { who: 'people', does: 'ask' };
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void schedule.after(ms, who, resolve));

  /** Undefined: nobody answered. */
  function once(act: (life: GatewayLife) => Promise<Result<unknown, Failure>>): Promise<Result<unknown, Failure> | undefined> {
    const lives = gateways.flatMap((node) => node.life() ?? []);
    if (lives.length === 0) return Promise.resolve(undefined);
    const life = random.pick(lives);
    return new Promise((resolve) => {
      const giveUp = schedule.after(PATIENCE_MS, who, () => resolve(undefined));
      life.process.deliver('operator asks', () => {
        void act(life).then((result) => {
          giveUp();
          resolve(result);
        });
      });
    });
  }

  async function until(
    does: string,
    isDone: () => boolean,
    act: (life: GatewayLife) => Promise<Result<unknown, Failure>>,
  ): Promise<void> {
    transcript.say('story', 'people', does);
    // A reply that was lost may still have been carried out: what is on record decides.
    while (!isDone()) {
      const result = await once(act);
      if (result?.ok && isDone()) return;
      await pause(AGAIN_MS);
    }
  }

  const idOf = ({ workspace, sandbox }: SandboxSpec): SandboxId | undefined =>
    world.names.get(nameKey(workspace, sandbox))?.value;
  const portOf = (spec: SandboxSpec, service: string): number | undefined => {
    const id = idOf(spec);
    return id === undefined ? undefined : world.configs.get(id)?.value.services.find((each) => each.service === service)?.port;
  };
  const runtimeOnRecord = (spec: SandboxSpec): string | undefined => {
    const id = idOf(spec);
    return id === undefined ? undefined : world.sandboxes.get(id)?.value.runtimeId;
  };
  const isRegistered = (spec: SandboxSpec): boolean =>
    runtimeOnRecord(spec) !== undefined && runtimeOnRecord(spec) === pods.runtimeOf(spec.workspace, spec.sandbox);

  const register = (spec: SandboxSpec): Promise<void> =>
    until(
      `register ${spec.sandbox}`,
      () => isRegistered(spec),
      ({ registrations }) =>
        registrations.register(spec, {
          mode: spec.mode,
          poolId: spec.mode === 'shared' ? spec.poolId : '',
          runtimeId: '',
        }),
    );

  return {
    async register(spec) {
      if (pods.runtimeOf(spec.workspace, spec.sandbox) === undefined) pods.replace(spec.workspace, spec.sandbox);
      await register(spec);
    },
    expose: (spec, service, port) =>
      until(
        `expose ${service} of ${spec.sandbox} on port ${port}`,
        () => portOf(spec, service) === port,
        ({ declarations }) => declarations.expose(spec, { service: service as ServiceName, port, policy: DEFAULT_POLICY }),
      ),
    withdraw: (spec, service) =>
      until(
        `withdraw ${service} of ${spec.sandbox}`,
        () => portOf(spec, service) === undefined,
        ({ declarations }) => declarations.withdraw(spec, service as ServiceName),
      ),
    bumpCredential(spec) {
      const id = idOf(spec);
      const before = id === undefined ? undefined : world.credentials.get(id)?.value;
      return until(
        `revoke the credentials of ${spec.sandbox}`,
        () => id === undefined || world.credentials.get(id)?.value !== before,
        ({ registrations }) => registrations.bumpCredential(spec),
      );
    },
    remove(spec) {
      return until(
        `delete ${spec.sandbox}`,
        () => idOf(spec) === undefined,
        ({ registrations }) => registrations.remove(spec),
      );
    },
    async replaceRuntime(spec) {
      transcript.say('story', 'people', `restart the workload of ${spec.sandbox}`);
      pods.replace(spec.workspace, spec.sandbox);
      await register(spec);
    },
    grant(workspaces) {
      grantEpoch += 1n;
      transcript.say('detail', 'people', `grant ${workspaces.join(', ') || 'nothing'}`);
      const value = encodeGrant({ workspaces, grantEpoch }, `grant-${grantEpoch}`);
      void store.direct.commit({ guards: [], changes: [{ kind: 'put', key: grantKey(PRINCIPAL), value }] });
    },
    idOf,
  };
}
