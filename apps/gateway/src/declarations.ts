import { createHash } from 'node:crypto';
import { type World, nameKey as worldNameKey } from '@sallyport/authority';
import {
  type ConfigRevision,
  type Configuration,
  type ConfiguredService,
  type Declaration,
  err,
  type Failure,
  failure,
  hostOf,
  ok,
  type Result,
  type SandboxId,
  type SandboxName,
  SERVICES_PER_SANDBOX_MAX,
  type ServiceName,
  type StoreRevision,
  type WorkspaceId,
} from '@sallyport/model';
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
}

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
    if (held === undefined)
      return err(
        failure(
          'unknown',
          `sandbox ${workspace}/${sandbox} is not registered; register it first: sallyport sandbox register ${workspace}/${sandbox}`,
        ),
      );
    return ok(held.value);
  }

  async function change(
    ref: SandboxRef,
    next: (services: readonly ConfiguredService[]) => Result<readonly ConfiguredService[], Failure>,
  ): Promise<Result<Configuration, Failure>> {
    for (let attempt = 0; attempt < TRIES_MAX; attempt += 1) {
      const id = sandboxId(ref);
      if (!id.ok) return id;
      const present = world.configs.get(id.value);
      const sandbox = world.sandboxes.get(id.value);
      if (present === undefined || sandbox === undefined)
        return err(failure('unknown', `sandbox ${ref.workspace}/${ref.sandbox} is being deleted`));
      const services = next(present.value.services);
      if (!services.ok) return services;
      if (services.value === present.value.services) return ok(present.value);
      const configuration = configurationOf({
        ...present.value,
        services: services.value,
        revision: (present.value.revision + 1n) as ConfigRevision,
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
    expose: (ref, declaration) =>
      change(ref, (services) => {
        const host = hostOf({ ...ref, service: declaration.service }, domain);
        if (!host.ok) return err(failure('malformed', host.error));
        const declared: ConfiguredService = { ...declaration, host: host.value };
        const present = services.find(({ service }) => service === declaration.service);
        if (present !== undefined && contentOf([present]) === contentOf([declared])) return ok(services);
        if (present === undefined && services.length >= SERVICES_PER_SANDBOX_MAX) {
          return err(failure('over-limit', `a sandbox has at most ${SERVICES_PER_SANDBOX_MAX} services`));
        }
        return ok([...services.filter((each) => each !== present), declared].sort((a, b) => (a.service < b.service ? -1 : 1)));
      }),
    withdraw: (ref, service) =>
      change(ref, (services) => {
        const rest = services.filter((each) => each.service !== service);
        if (rest.length === services.length)
          return err(
            failure(
              'unknown',
              `${ref.workspace}/${ref.sandbox} declares no service ${service === '' ? 'without a name' : service}`,
            ),
          );
        return ok(rest);
      }),
  };
}

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
