import type { Mode, World } from '@sallyport/authority';
import {
  type Configuration,
  err,
  type Failure,
  failure,
  isId,
  isPort,
  ok,
  type PoolId,
  parseSandboxName,
  parseServiceName,
  parseWorkspaceId,
  type Result,
  type ServiceName,
  type WorkspaceId,
} from '@sallyport/model';
import {
  type Caller,
  checked,
  type GatewayMethod,
  type gatewayV1,
  type HandlersOf,
  maySee,
  modeNumber,
  type Operator,
  readPolicy,
  supervisorV1,
} from '@sallyport/wire';
import type { Declarations, SandboxRef } from './declarations.ts';
import { named, type Operators } from './operators.ts';
import type { Registrations } from './registrations.ts';
import type { ServiceStates } from './service-states.ts';

export interface OperatorServiceOptions {
  readonly world: World;
  readonly operators: Operators;
  readonly declarations: Declarations;
  readonly registrations: Registrations;
  readonly states: ServiceStates;
  /** As somebody sees it who may see these workspaces. */
  readonly status: (maySee: (workspace: WorkspaceId) => boolean) => gatewayV1.GetStatusResponse;
  /** For sandboxes that are registered without saying where. */
  readonly defaultPool: PoolId | undefined;
}

/** The operator API: who calls is judged first, then what was asked for, and every change leaves an audit line. */
export function createOperatorService(
  options: OperatorServiceOptions,
): Omit<HandlersOf<typeof gatewayV1.GatewayServiceService>, 'setGrant' | 'listGrants' | 'beginGeneration' | 'checkInstallation'> {
  const { world, operators, declarations, registrations, states } = options;

  /** A change of one sandbox: parse its name, admit the caller for its workspace, do it, audit it. */
  async function change<T>(
    caller: Caller,
    method: GatewayMethod,
    name: Named | undefined,
    act: (ref: ServiceOf) => Promise<Result<T, Failure>>,
  ): Promise<Result<T, Failure>> {
    const ref = refOf(name);
    const operator = await operators.admit(caller, method, ref.ok ? ref.value.workspace : undefined);
    if (!operator.ok) return operator;
    const outcome = ref.ok ? await act(ref.value) : ref;
    operators.audit(operator.value, method, ref.ok ? about(ref.value) : '(malformed)', outcome);
    return outcome;
  }

  async function read<T>(
    caller: Caller,
    method: GatewayMethod,
    workspaceText: string,
    act: (operator: Operator, workspace: WorkspaceId | undefined) => Result<T, Failure>,
  ): Promise<Result<T, Failure>> {
    const workspace = workspaceText === '' ? ok(undefined) : named(parseWorkspaceId(workspaceText));
    const operator = await operators.admit(caller, method, workspace.ok ? workspace.value : undefined);
    if (!operator.ok) return operator;
    return workspace.ok ? act(operator.value, workspace.value) : workspace;
  }

  /** Every configuration that the operator may see, by name. */
  const visible = (operator: Operator, workspace: WorkspaceId | undefined): Configuration[] =>
    [...world.configs.values()]
      .map(({ value }) => value)
      .filter(
        (configuration) =>
          (workspace === undefined || configuration.workspace === workspace) && maySee(operator.role, configuration.workspace),
      )
      .sort((a, b) => compare(`${a.workspace}/${a.sandbox}`, `${b.workspace}/${b.sandbox}`));

  const sandboxMessage = (configuration: Configuration): gatewayV1.Sandbox[] => {
    const sandbox = world.sandboxes.get(configuration.sandboxId)?.value;
    if (sandbox === undefined) return [];
    const { workspace, sandbox: name, mode, poolId, runtimeId } = sandbox;
    return [
      {
        name: { workspace, sandbox: name },
        sandboxId: configuration.sandboxId,
        mode: modeNumber(mode),
        poolId,
        runtimeId,
        serviceCount: configuration.services.length,
      },
    ];
  };

  const one = (configuration: Configuration, service: ServiceName): Result<gatewayV1.Service, Failure> => {
    const found = configuration.services.find((each) => each.service === service);
    if (found === undefined)
      return err(
        failure(
          'unknown',
          `${configuration.workspace}/${configuration.sandbox} declares no service ${service === '' ? 'without a name' : service}`,
        ),
      );
    return ok(states.of(configuration.sandboxId, configuration, found));
  };

  return {
    registerSandbox: ({ name, mode, poolId, runtimeId }, caller) =>
      change(caller, 'registerSandbox', name, async (ref) => {
        const placed = placeOf(mode, poolId, options.defaultPool);
        if (!placed.ok) return placed;
        if (runtimeId !== '' && !isId(runtimeId)) return err(failure('malformed', 'runtime_id is not an id'));
        const registered = await registrations.register(ref, { ...placed.value, runtimeId });
        if (!registered.ok) return registered;
        const configuration = world.configs.get(registered.value.sandboxId)?.value;
        return ok({
          sandbox: configuration === undefined ? undefined : sandboxMessage(configuration)[0],
          supervisorToken: registered.value.token,
        });
      }),
    listSandboxes: ({ workspace }, caller) =>
      read(caller, 'listSandboxes', workspace, (operator, only) =>
        ok({ sandboxes: visible(operator, only).flatMap(sandboxMessage) }),
      ),
    deleteSandbox: ({ name }, caller) =>
      change(caller, 'deleteSandbox', name, async (ref) => {
        const removed = await registrations.remove(ref);
        return removed.ok ? ok({}) : removed;
      }),
    exposeService: ({ name, port, policy }, caller) =>
      change(caller, 'exposeService', name, async (ref) => {
        if (!isPort(port)) return err(failure('malformed', `port ${port} is not between 1 and 65535`));
        const read = checked((check) => readPolicy(check, 'policy', policy));
        if (!read.ok) return err(failure('malformed', read.error));
        const declared = await declarations.expose(ref, { service: ref.service, port, policy: read.value });
        if (!declared.ok) return declared;
        const service = one(declared.value, ref.service);
        return service.ok ? ok({ service: service.value }) : service;
      }),
    listServices: ({ workspace, sandbox }, caller) =>
      read(caller, 'listServices', workspace, (operator, only) => {
        const name = sandbox === '' ? ok(undefined) : named(parseSandboxName(sandbox));
        if (!name.ok) return name;
        const configurations = visible(operator, only).filter(
          (configuration) => name.value === undefined || configuration.sandbox === name.value,
        );
        return ok({
          services: configurations.flatMap((configuration) =>
            configuration.services.map((service) => states.of(configuration.sandboxId, configuration, service)),
          ),
        });
      }),
    getService: ({ name }, caller) =>
      read(caller, 'getService', name?.workspace ?? '', () => {
        const ref = refOf(name);
        if (!ref.ok) return ref;
        const id = declarations.sandboxId(ref.value);
        if (!id.ok) return id;
        const configuration = world.configs.get(id.value)?.value;
        if (configuration === undefined) return err(failure('unknown', `sandbox ${about(ref.value)} is being deleted`));
        const service = one(configuration, ref.value.service);
        return service.ok ? ok({ service: service.value }) : service;
      }),
    deleteService: ({ name }, caller) =>
      change(caller, 'deleteService', name, async (ref) => {
        const withdrawn = await declarations.withdraw(ref, ref.service);
        return withdrawn.ok ? ok({}) : withdrawn;
      }),
    bumpCredential: ({ name }, caller) =>
      change(caller, 'bumpCredential', name, async (ref) => {
        const bumped = await registrations.bumpCredential(ref);
        return bumped.ok ? ok({ credentialEpoch: bumped.value.epoch, supervisorToken: bumped.value.token }) : bumped;
      }),
    getStatus: (_request, caller) =>
      read(caller, 'getStatus', '', (operator) => ok(options.status((workspace) => maySee(operator.role, workspace)))),
  };
}

/** Who will serve a sandbox: the supervisors of a pool, or one of its own. */
function placeOf(
  mode: supervisorV1.Mode,
  poolId: string,
  defaultPool: PoolId | undefined,
): Result<{ readonly mode: Mode; readonly poolId: string }, Failure> {
  const { MODE_DEDICATED, MODE_SHARED } = supervisorV1.Mode;
  if (poolId !== '' && !isId(poolId)) return err(failure('malformed', 'pool_id is not an id'));
  const shared = mode === MODE_SHARED || (mode !== MODE_DEDICATED && (poolId !== '' || defaultPool !== undefined));
  if (!shared)
    return poolId === ''
      ? ok({ mode: 'dedicated', poolId })
      : err(failure('malformed', 'a dedicated sandbox has a pool of its own: leave pool_id empty'));
  const pool = poolId === '' ? defaultPool : poolId;
  return pool === undefined
    ? err(failure('malformed', 'a shared sandbox needs the id of its pool'))
    : ok({ mode: 'shared', poolId: pool });
}

interface Named {
  readonly workspace: string;
  readonly sandbox: string;
  readonly service?: string;
}

interface ServiceOf extends SandboxRef {
  readonly service: ServiceName;
}

function refOf(name: Named | undefined): Result<ServiceOf, Failure> {
  if (name === undefined) return err(failure('malformed', 'name is required'));
  const workspace = named(parseWorkspaceId(name.workspace));
  if (!workspace.ok) return workspace;
  const sandbox = named(parseSandboxName(name.sandbox));
  if (!sandbox.ok) return sandbox;
  const service = named(parseServiceName(name.service ?? ''));
  return service.ok ? ok({ workspace: workspace.value, sandbox: sandbox.value, service: service.value }) : service;
}

const about = ({ workspace, sandbox, service }: ServiceOf): string =>
  service === '' ? `${workspace}/${sandbox}` : `${workspace}/${sandbox}/${service}`;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
