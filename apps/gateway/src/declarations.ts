import { createHash } from 'node:crypto';
import { type World, nameKey as worldNameKey } from '@sallyport/authority';
import {
  type ConfigRevision,
  type Configuration,
  type ConfiguredService,
  type Declaration,
  err,
  type Failure,
  type FollowedDeclarations,
  failure,
  type Host,
  hostOf,
  isHashed,
  ok,
  type Result,
  type SandboxId,
  type SandboxName,
  SERVICES_PER_SANDBOX_MAX,
  type ServiceName,
  type StoreRevision,
  type WorkspaceId,
} from '@sallyport/model';
import { sha256hex } from '@sallyport/process';
import { configKey, sandboxKey } from '@sallyport/store';
import { encodeConfiguration } from '@sallyport/wire';
import type { Writer } from './writer.ts';

export interface SandboxRef {
  readonly workspace: WorkspaceId;
  readonly sandbox: SandboxName;
}

/** What is declared, and how a declaration changes: each change is the next whole configuration of its sandbox. */
export interface Declarations {
  sandboxId(ref: SandboxRef): Result<SandboxId, Failure>;
  expose(ref: SandboxRef, declaration: Declaration): Promise<Result<Configuration, Failure>>;
  withdraw(ref: SandboxRef, service: ServiceName): Promise<Result<Configuration, Failure>>;
  /**
   * What the workload itself declares, whole: replaces what it declared before and leaves alone what operators did, also where
   * both name one service.
   */
  follow(ref: SandboxRef, declared: readonly Declaration[]): Promise<Result<FollowedConfiguration, Failure>>;
}

export interface FollowedConfiguration {
  readonly configuration: Configuration;
  /** Declarations that are not taken, one sentence each. */
  readonly ignored: readonly string[];
}

/** What a change makes of a configuration; the very arrays that were there: it changes nothing. */
type Content = Pick<Configuration, 'services'> & { readonly followed: FollowedDeclarations | undefined };

export interface DeclarationsOptions {
  readonly world: World;
  readonly reached: (revision: StoreRevision) => Promise<void>;
  readonly writer: Writer;
  readonly domain: string;
}

/** Concurrent changes of one sandbox: each loser looks again. */
const TRIES_MAX = 8;

export function createDeclarations({ world, reached, writer, domain }: DeclarationsOptions): Declarations {
  function sandboxId({ workspace, sandbox }: SandboxRef): Result<SandboxId, Failure> {
    const held = world.names.get(worldNameKey(workspace, sandbox));
    return held === undefined ? err(failure('unknown', `sandbox ${workspace}/${sandbox} is not registered`)) : ok(held.value);
  }

  async function change(
    ref: SandboxRef,
    next: (present: Configuration) => Result<Content, Failure>,
  ): Promise<Result<Configuration, Failure>> {
    for (let attempt = 0; attempt < TRIES_MAX; attempt += 1) {
      const id = sandboxId(ref);
      if (!id.ok) return id;
      const present = world.configs.get(id.value);
      const sandbox = world.sandboxes.get(id.value);
      if (present === undefined || sandbox === undefined)
        return err(failure('unknown', `sandbox ${ref.workspace}/${ref.sandbox} is being deleted`));
      const content = next(present.value);
      if (!content.ok) return content;
      const { services, followed } = content.value;
      const taken = services.find(({ host }) => isTaken(world, ref, host));
      if (taken !== undefined)
        return err(failure('conflict', `${taken.host} is the host of a service of another sandbox: choose another name`));
      const isSame = services === present.value.services;
      if (isSame && followed === present.value.followed) return ok(present.value);
      const { followed: _, ...rest } = present.value;
      const configuration = configurationOf({
        ...rest,
        ...(followed === undefined ? {} : { followed }),
        services,
        // Who declared something is no part of what a supervisor installs.
        revision: isSame ? rest.revision : ((rest.revision + 1n) as ConfigRevision),
      });
      const written = await writer.write({
        guards: [
          { key: configKey(id.value), is: 'unmoved-since', revision: present.modRevision },
          { key: sandboxKey(id.value), is: 'unmoved-since', revision: sandbox.modRevision },
        ],
        puts: [{ key: configKey(id.value), value: (opId) => encodeConfiguration(configuration, opId) }],
      });
      if (written.kind === 'no-authority' || written.kind === 'unknown')
        return err(failure('not-ready', 'the store does not answer; the change may or may not have been made'));
      await reached(written.revision);
      if (written.kind === 'committed') return ok(configuration);
    }
    return err(failure('conflict', 'the sandbox is changed by others all the time; try again'));
  }

  return {
    sandboxId,
    async expose(ref, declaration) {
      const id = sandboxId(ref);
      // Only here: whoever asks for a service that there was never one of has mistaken its name.
      if (!id.ok)
        return err(
          failure(
            'unknown',
            `${id.error.message}; register it first: sallyport sandbox register ${ref.workspace}/${ref.sandbox}`,
          ),
        );
      return change(ref, ({ services, followed }) => {
        const host = hostOf({ ...ref, service: declaration.service }, domain, sha256hex);
        const declared: ConfiguredService = { ...declaration, host };
        const present = services.find(({ service }) => service === declaration.service);
        // From now on it is the operator's, whatever becomes of the workload.
        const others = without(followed, declaration.service);
        if (present !== undefined && contentOf([present]) === contentOf([declared])) return ok({ services, followed: others });
        if (present === undefined && services.length >= SERVICES_PER_SANDBOX_MAX) {
          return err(failure('over-limit', `a sandbox has at most ${SERVICES_PER_SANDBOX_MAX} services`));
        }
        return ok({ services: sorted([...services.filter((each) => each !== present), declared]), followed: others });
      });
    },
    withdraw: (ref, service) =>
      change(ref, ({ services, followed }) => {
        const rest = services.filter((each) => each.service !== service);
        if (rest.length === services.length)
          return err(
            failure(
              'unknown',
              `${ref.workspace}/${ref.sandbox} declares no service ${service === '' ? 'without a name' : service}`,
            ),
          );
        return ok({ services: rest, followed: without(followed, service) });
      }),
    async follow(ref, declared) {
      let ignored: readonly string[] = [];
      const changed = await change(ref, (present) => {
        const merged = mergeFollowed(present, declared, domain);
        ({ ignored } = merged);
        return ok(merged);
      });
      return changed.ok ? ok({ configuration: changed.value, ignored }) : changed;
    },
  };
}

/** Names alone never share a host; digests of names do so once in a very long while, and then not unseen. */
const isTaken = (world: World, { workspace, sandbox }: SandboxRef, host: Host): boolean =>
  isHashed(host) &&
  [...world.configs.values()].some(
    ({ value }) =>
      (value.workspace !== workspace || value.sandbox !== sandbox) && value.services.some((service) => service.host === host),
  );

/** Pure: operators' declarations, and beside them what the workload declares. */
export function mergeFollowed(
  { workspace, sandbox, services, followed }: Configuration,
  declared: readonly Declaration[],
  domain: string,
): Content & { readonly ignored: readonly string[] } {
  const operators = services.filter(({ service }) => followed?.services.includes(service) !== true);
  const taken: ConfiguredService[] = [];
  const ignored: string[] = [];
  for (const declaration of declared) {
    const { service } = declaration;
    const name = service === '' ? 'the service without a name' : `service ${service}`;
    const host = hostOf({ workspace, sandbox, service }, domain, sha256hex);
    if (operators.some((each) => each.service === service)) ignored.push(`${name} is declared by an operator`);
    else if (operators.length + taken.length >= SERVICES_PER_SANDBOX_MAX)
      ignored.push(`${name}: a sandbox has at most ${SERVICES_PER_SANDBOX_MAX} services`);
    else taken.push({ ...declaration, host });
  }
  const next = sorted([...operators, ...taken]);
  const names = taken.map(({ service }) => service).sort();
  const isMarked = followed === undefined ? names.length === 0 : JSON.stringify(followed.services) === JSON.stringify(names);
  return {
    services: contentOf(next) === contentOf(services) ? services : next,
    followed: isMarked ? followed : { registered: followed?.registered ?? false, services: names },
    ignored,
  };
}

const without = (followed: FollowedDeclarations | undefined, service: ServiceName): FollowedDeclarations | undefined =>
  followed?.services.includes(service) === true
    ? { ...followed, services: followed.services.filter((each) => each !== service) }
    : followed;

const sorted = (services: readonly ConfiguredService[]): readonly ConfiguredService[] =>
  [...services].sort((a, b) => (a.service < b.service ? -1 : 1));

/** A configuration with the hash of its content. */
export const configurationOf = (content: Omit<Configuration, 'hash'> & { readonly hash?: string }): Configuration => ({
  ...content,
  hash: createHash('sha256')
    .update(`${content.sandboxId}\n${content.revision}\n${contentOf(content.services)}`)
    .digest('hex'),
});

/** One spelling for one content: fields in a fixed order. */
const contentOf = (services: readonly ConfiguredService[]): string =>
  JSON.stringify(
    services.map(({ service, host, port, policy }) => [
      service,
      host,
      port,
      policy.host.kind === 'value' ? ['value', policy.host.value] : [policy.host.kind],
      policy.origin,
      policy.cookies,
    ]),
  );
