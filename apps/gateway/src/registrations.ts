import { type Mode, type SandboxRecord, type World, nameKey as worldNameKey } from '@sallyport/authority';
import {
  type ConfigRevision,
  type CredentialEpoch,
  err,
  type Failure,
  failure,
  type OwnerEpoch,
  ok,
  type PoolId,
  type Result,
  type RuntimeId,
  type SandboxId,
  type StoreRevision,
} from '@sallyport/model';
import {
  configKey,
  credentialKey,
  type Guard,
  installationKey,
  nameKey,
  ownerKey,
  sandboxKey,
  successorKey,
} from '@sallyport/store';
import {
  encodeConfiguration,
  encodeCredential,
  encodeName,
  encodeOwnership,
  encodeSandbox,
  type SigningKeys,
  signSandboxToken,
  UNPLACED_HOST,
} from '@sallyport/wire';
import { configurationOf, type SandboxRef } from './declarations.ts';
import type { Driver } from './driver.ts';
import type { Writer } from './writer.ts';

/** Which sandboxes there are. Registering makes all their records in one commit; deleting ends them in one. */
export interface Registrations {
  register(ref: SandboxRef, wanted: Wanted): Promise<Result<Registered, Failure>>;
  remove(ref: SandboxRef): Promise<Result<void, Failure>>;
  /** Ends a sandbox that was registered for its workload, unless an operator declares something for it: then it is `kept`. */
  removeFollowed(ref: SandboxRef): Promise<Result<'removed' | 'kept', Failure>>;
  /** Revokes every session and token that was issued before. */
  bumpCredential(ref: SandboxRef): Promise<Result<{ readonly epoch: CredentialEpoch; readonly token: string }, Failure>>;
}

export interface Wanted {
  readonly mode: Mode;
  /** Of a dedicated sandbox: the pool that its supervisor proves itself for; empty makes one. */
  readonly poolId: string;
  /** Empty: as the driver says. */
  readonly runtimeId: string;
  /** For a workload that declares itself: the sandbox goes with it. */
  readonly followed?: boolean;
}

export interface Registered {
  readonly sandboxId: SandboxId;
  readonly record: SandboxRecord;
  /** For the sandbox's dedicated supervisor; empty for a shared one. */
  readonly token: string;
}

export interface RegistrationsOptions {
  readonly world: World;
  readonly reached: (revision: StoreRevision) => Promise<void>;
  readonly writer: Writer;
  readonly driver: Driver;
  readonly keys: SigningKeys;
  readonly randomId: () => string;
}

const TRIES_MAX = 5;

export function createRegistrations({ world, reached, writer, driver, keys, randomId }: RegistrationsOptions): Registrations {
  async function tokenOf(sandboxId: SandboxId, { mode, poolId }: SandboxRecord): Promise<string> {
    const generation = world.generation?.value;
    const credentialEpoch = world.credentials.get(sandboxId)?.value;
    if (mode === 'shared' || generation === undefined || credentialEpoch === undefined) return '';
    return signSandboxToken(keys, { sandboxId, poolId, credentialEpoch, generation });
  }

  async function boundaryOf(
    { workspace, sandbox }: SandboxRef,
    runtimeId: string,
  ): Promise<Result<{ readonly boundaryAddress?: string }, Failure>> {
    const boundary = await driver.boundary?.(workspace, sandbox, runtimeId);
    if (boundary === undefined || (boundary.ok && boundary.value === undefined)) return ok({});
    if (boundary.ok) return ok({ boundaryAddress: boundary.value as string });
    const why = boundary.error.message;
    return err(failure('not-ready', `the driver does not say whether ${workspace}/${sandbox} has a boundary: ${why}`));
  }

  async function register(ref: SandboxRef, wanted: Wanted): Promise<Result<Registered, Failure>> {
    const { workspace, sandbox } = ref;
    const runtime = wanted.runtimeId === '' ? await driver.runtimeId(workspace, sandbox) : ok(wanted.runtimeId);
    if (!runtime.ok)
      return err(failure('not-ready', `the driver does not know the workload ${workspace}/${sandbox}: ${runtime.error.message}`));
    for (let attempt = 0; attempt < TRIES_MAX; attempt += 1) {
      const present = world.names.get(worldNameKey(workspace, sandbox));
      if (present !== undefined) return again(ref, present.value, wanted, runtime.value as RuntimeId);
      const sandboxId = randomId() as SandboxId;
      const boundary = await boundaryOf(ref, runtime.value);
      if (!boundary.ok) return boundary;
      const own = wanted.mode === 'dedicated' && wanted.poolId === '';
      const poolId = (own ? `dedicated-${sandboxId}` : wanted.poolId) as PoolId;
      const place = { workspace, sandbox, mode: wanted.mode, poolId, runtimeId: runtime.value as RuntimeId };
      const record: SandboxRecord = { ...place, ...boundary.value };
      const configuration = configurationOf({
        sandboxId,
        workspace,
        sandbox,
        revision: 1n as ConfigRevision,
        services: [],
        ...(wanted.followed === true ? { followed: { registered: true, services: [] } } : {}),
      });
      const written = await writer.write({
        guards: [{ key: nameKey(workspace, sandbox), is: 'absent' }],
        puts: [
          { key: nameKey(workspace, sandbox), value: (opId) => encodeName(sandboxId, opId) },
          { key: sandboxKey(sandboxId), value: (opId) => encodeSandbox(record, opId) },
          { key: configKey(sandboxId), value: (opId) => encodeConfiguration(configuration, opId) },
          { key: credentialKey(sandboxId), value: (opId) => encodeCredential(1n as CredentialEpoch, opId) },
          { key: ownerKey(sandboxId), value: (opId) => encodeOwnership({ kind: 'released', epoch: 1n as OwnerEpoch }, opId) },
        ],
      });
      if (written.kind === 'no-authority' || written.kind === 'unknown')
        return err(failure('not-ready', 'the store does not answer; the sandbox may or may not have been registered'));
      await reached(written.revision);
      if (written.kind === 'committed') return ok({ sandboxId, record, token: await tokenOf(sandboxId, record) });
    }
    return err(failure('conflict', 'the name is registered and deleted by others all the time; try again'));
  }

  /** Registering again with the same content changes nothing. */
  async function again(
    ref: SandboxRef,
    sandboxId: SandboxId,
    wanted: Wanted,
    runtimeId: RuntimeId,
  ): Promise<Result<Registered, Failure>> {
    const held = world.sandboxes.get(sandboxId);
    if (held === undefined) return err(failure('conflict', 'the sandbox is being deleted; try again'));
    const { mode, poolId } = held.value;
    if (mode !== wanted.mode || (mode === 'shared' && poolId !== wanted.poolId))
      return err(failure('conflict', `the name is taken by a ${mode} sandbox of pool ${poolId}`));
    const { boundaryAddress: known, ...rest } = held.value;
    const sameLife = held.value.runtimeId === runtimeId;
    // What an operator says anew is looked up anew; what a workload says of itself moves with its life, once it has a place.
    const mayMove = wanted.followed !== true || known?.startsWith(UNPLACED_HOST) === true;
    const asks = !sameLife || (known !== undefined && mayMove);
    const boundary = asks ? await boundaryOf(ref, runtimeId) : ok(known === undefined ? {} : { boundaryAddress: known });
    if (!boundary.ok) return boundary;
    // Within one life a boundary may move, but neither come nor go: an owner that goes around it could not be fenced by it.
    const moved = known !== undefined && boundary.value.boundaryAddress !== undefined && boundary.value.boundaryAddress !== known;
    if (sameLife && !moved) return ok({ sandboxId, record: held.value, token: await tokenOf(sandboxId, held.value) });
    const record: SandboxRecord = { ...rest, runtimeId, ...boundary.value };
    const written = await writer.write({
      guards: [{ key: sandboxKey(sandboxId), is: 'unmoved-since', revision: held.modRevision }],
      puts: [{ key: sandboxKey(sandboxId), value: (opId) => encodeSandbox(record, opId) }],
    });
    if (written.kind !== 'committed') return err(failure('conflict', 'the sandbox has just changed; try again'));
    await reached(written.revision);
    return ok({ sandboxId, record, token: await tokenOf(sandboxId, record) });
  }

  const remove = async (ref: SandboxRef): Promise<Result<void, Failure>> => {
    const removed = await end(ref, () => []);
    return removed.ok ? ok(undefined) : removed;
  };

  const removeFollowed = (ref: SandboxRef): Promise<Result<'removed' | 'kept', Failure>> =>
    end(ref, (sandboxId) => {
      const config = world.configs.get(sandboxId);
      const followed = config?.value.followed;
      if (config === undefined || followed?.registered !== true) return undefined;
      if (config.value.services.some(({ service }) => !followed.services.includes(service))) return undefined;
      return [{ key: configKey(sandboxId), is: 'unmoved-since', revision: config.modRevision }];
    });

  /** `mayEnd` says what must not move meanwhile; undefined keeps the sandbox. */
  async function end(
    ref: SandboxRef,
    mayEnd: (sandboxId: SandboxId) => readonly Guard[] | undefined,
  ): Promise<Result<'removed' | 'kept', Failure>> {
    for (let attempt = 0; attempt < TRIES_MAX; attempt += 1) {
      const name = world.names.get(worldNameKey(ref.workspace, ref.sandbox));
      if (name === undefined) return err(failure('unknown', `sandbox ${ref.workspace}/${ref.sandbox} is not registered`));
      const sandboxId = name.value;
      const guards = mayEnd(sandboxId);
      if (guards === undefined) return ok('kept');
      // What gives the sandbox its authority goes at once; records of old sessions, of which there may be more than one
      // transaction holds, are worthless from then on and swept later.
      const written = await writer.write({
        guards: [{ key: nameKey(ref.workspace, ref.sandbox), is: 'unmoved-since', revision: name.modRevision }, ...guards],
        puts: [],
        deletes: [
          nameKey(ref.workspace, ref.sandbox),
          sandboxKey(sandboxId),
          configKey(sandboxId),
          credentialKey(sandboxId),
          ownerKey(sandboxId),
          installationKey(ref.workspace, sandboxId),
          successorKey(sandboxId),
        ],
      });
      if (written.kind === 'no-authority' || written.kind === 'unknown') {
        return err(failure('not-ready', 'the store does not answer; the sandbox may or may not have been deleted'));
      }
      await reached(written.revision);
      if (written.kind === 'committed') return ok('removed');
    }
    return err(failure('conflict', 'the sandbox keeps changing; try again'));
  }

  async function bumpCredential(
    ref: SandboxRef,
  ): Promise<Result<{ readonly epoch: CredentialEpoch; readonly token: string }, Failure>> {
    const name = world.names.get(worldNameKey(ref.workspace, ref.sandbox));
    const held = name === undefined ? undefined : world.credentials.get(name.value);
    const sandbox = name === undefined ? undefined : world.sandboxes.get(name.value);
    if (name === undefined || held === undefined || sandbox === undefined)
      return err(failure('unknown', `sandbox ${ref.workspace}/${ref.sandbox} is not registered`));
    const epoch = (held.value + 1n) as CredentialEpoch;
    const key = credentialKey(name.value);
    const written = await writer.write({
      guards: [{ key, is: 'unmoved-since', revision: held.modRevision }],
      puts: [{ key, value: (opId) => encodeCredential(epoch, opId) }],
    });
    if (written.kind !== 'committed')
      return err(failure('conflict', 'the credential has just changed, or the store does not answer; look and try again'));
    await reached(written.revision);
    return ok({ epoch, token: await tokenOf(name.value, sandbox.value) });
  }

  return { register, remove, removeFollowed, bumpCredential };
}
