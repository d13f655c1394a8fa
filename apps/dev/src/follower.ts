import { refusalAt } from '@sallyport/authority';
import { formatServiceRef, type SandboxName, type ServiceName, type WorkspaceId } from '@sallyport/model';
import type { Cancel, Clock } from '@sallyport/process';
import type { ExchangeRecord } from '@sallyport/proxy';
import { gatewayV1 } from '@sallyport/wire';
import type { Config } from './config.ts';
import { refusesHost } from './host-check.ts';
import {
  bannerLines,
  createScreen,
  hintFor,
  type LastError,
  type Out,
  type Screen,
  type ServiceRow,
  type ServiceState,
  terminalKind,
} from './screen/index.ts';
import { addressToDial, type Stack } from './stack.ts';

/** What people see of a running stack: the banner once, then how each service stands. */
export interface Follower {
  observe(record: ExchangeRecord): void;
  begin(stack: Stack, services: readonly gatewayV1.Service[], clock: Clock): void;
  close(): void;
}

const LOOK_EVERY_MS = 500;
/** Hosts whose counters are kept: a stack that is used for long may have seen many services come and go. */
const HOSTS_MAX = 1_024;
/** How often one application is asked whether it refuses its name. */
const HOST_CHECK_EVERY_MS = 30_000;

interface Seen {
  requestCount: number;
  lastError: LastError | undefined;
  checkedAt: number;
}

export function createFollower(
  config: Config,
  isDemo: boolean,
  cli: string,
  out: Out & { readonly isTTY?: boolean },
  env: NodeJS.ProcessEnv,
): Follower {
  const seen = new Map<string, Seen>();
  let screen: Screen | undefined;
  let cancel: Cancel | undefined;
  let services: readonly gatewayV1.Service[] = [];
  let caFile: string | undefined;

  function of(host: string): Seen {
    const found = seen.get(host) ?? { requestCount: 0, lastError: undefined, checkedAt: Number.NEGATIVE_INFINITY };
    seen.delete(host);
    seen.set(host, found);
    for (const oldest of seen.keys()) {
      if (seen.size <= HOSTS_MAX) break;
      seen.delete(oldest);
    }
    return found;
  }

  function observe(record: ExchangeRecord): void {
    const about = of(record.host);
    about.requestCount += 1;
    const service = services.find(({ host }) => host === record.host);
    if (record.code !== undefined) {
      about.lastError = explained(record.code, reasonOf(record, service), service);
      return;
    }
    const now = performance.now();
    if ((record.status !== 400 && record.status !== 403) || service === undefined || now - about.checkedAt < HOST_CHECK_EVERY_MS)
      return;
    about.checkedAt = now;
    void refusesHost(service.port, service.host).then((refuses) => {
      if (refuses)
        about.lastError = explained(
          String(record.status),
          `the application answers ${record.status}: host ${service.host} is not allowed`,
          service,
          record.status,
        );
    });
  }

  function explained(code: string, reason: string, service: gatewayV1.Service | undefined, status?: number): LastError {
    // An answer of the application's own has no code, for the codes are ours.
    const hint = hintFor({
      ...(status === undefined ? { code } : { status }),
      reason,
      ...(service === undefined
        ? {}
        : { host: new URL(service.url).host, target: `127.0.0.1:${service.port}`, service: nameOf(service) }),
      ...(caFile === undefined ? {} : { caFile }),
      cli,
    });
    return { code, reason, ...(hint === undefined ? {} : { hint }) };
  }

  return {
    observe,
    begin(stack, initial, clock) {
      services = initial;
      caFile = stack.caFile;
      const { isTerminal, color } = terminalKind(env, out.isTTY === true);
      const shown = initial.map((service) => ({ name: nameOf(service), url: service.url }));
      const trust = config.certFile === undefined ? { caFile: stack.caFile } : {};
      for (const line of bannerLines({ services: shown, isDemo, address: addressToDial(config.listen), cli, ...trust }))
        out.write(`${line}\n`);
      out.write('\n');
      screen = createScreen({ out, isTerminal, color, clock });
      const look = async (): Promise<void> => {
        services = await stack.operator.list();
        screen?.update({
          services: services.map((service) => rowOf(stack, service, of(service.host), clock)),
          notes: [],
          parts: partsOf(stack),
        });
      };
      void look();
      cancel = clock.every(LOOK_EVERY_MS, () => void look());
    },
    close() {
      cancel?.();
      screen?.close();
      screen = undefined;
    },
  };
}

/** A declaration that the supervisor did not take looks to clients as if there were none. */
const reasonOf = ({ code, reason = '' }: ExchangeRecord, service: gatewayV1.Service | undefined): string =>
  code === 'route_withdrawn' && service?.state === gatewayV1.ServiceState.SERVICE_STATE_REJECTED ? service.detail : reason;

const nameOf = ({ name }: gatewayV1.Service): string =>
  formatServiceRef({
    workspace: (name?.workspace ?? '') as WorkspaceId,
    sandbox: (name?.sandbox ?? '') as SandboxName,
    service: (name?.service ?? '') as ServiceName,
  });

function rowOf(stack: Stack, service: gatewayV1.Service, { requestCount, lastError }: Seen, clock: Clock): ServiceRow {
  const hosted = stack
    .supervisors()
    .flatMap((each) => [...each.hosted()])
    .find((each) => each.routes().some(({ host }) => host === service.host));
  const refusal = hosted === undefined ? undefined : refusalAt(hosted.state().standing, clock.now());
  return {
    name: nameOf(service),
    url: service.url,
    target: `127.0.0.1:${service.port}`,
    state: stateOf(service, refusal, lastError),
    ...(service.detail === '' ? {} : { detail: service.detail }),
    requestCount,
    liveStreamCount: hosted?.instance.counters().liveStreamCount ?? 0,
    ...(lastError === undefined ? {} : { lastError }),
  };
}

function stateOf(service: gatewayV1.Service, refusal: string | undefined, lastError: LastError | undefined): ServiceState {
  const { ServiceState } = gatewayV1;
  if (service.state === ServiceState.SERVICE_STATE_REJECTED) return 'rejected';
  if (refusal !== undefined) return 'not fresh';
  if (service.state === ServiceState.SERVICE_STATE_DECLARED) return 'starting';
  return lastError?.code === 'app_unreachable' ? 'unreachable' : 'serving';
}

const partsOf = (stack: Stack) =>
  stack.ready().map(({ name, ok, detail }) => ({
    name,
    state: ok ? ('ready' as const) : ('not ready' as const),
    ...(detail === undefined ? {} : { detail }),
  }));
