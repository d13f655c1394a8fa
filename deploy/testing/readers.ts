import * as boundary from '@sallyport/boundary';
import * as discovery from '@sallyport/discovery';
import * as driver from '@sallyport/driver';
import * as edge from '@sallyport/edge';
import * as gateway from '@sallyport/gateway';
import type { Address, Reading } from '@sallyport/process';
import * as supervisor from '@sallyport/supervisor';
import { layMounts } from './mounts.ts';
import type { AppName, Container, PodSpec } from './objects.ts';

/** Each app's own reader of configuration, and the addresses in what it reads. */
interface App<C> {
  readonly read: (source: { readonly env: Record<string, string>; readonly args: readonly string[] }) => Reading<C>;
  readonly listens: (config: C) => readonly (Address | undefined)[];
  /** `host:port` of what it calls. */
  readonly dials: (config: C) => readonly string[];
}

const at = ({ host, port }: Address): string => `${host}:${port}`;
const app = <C>(described: App<C>): App<never> => described as unknown as App<never>;

const APPS: Readonly<Record<AppName, App<never>>> = {
  gateway: app<gateway.Config>({
    read: gateway.readConfig,
    listens: ({ operatorListen, supervisorListen }) => [operatorListen, supervisorListen],
    dials: (config) => [at(config.driver), ...(config.store.endpoints ?? [])],
  }),
  discovery: app<discovery.Config>({
    read: discovery.readConfig,
    listens: ({ listen }) => [listen],
    dials: ({ store }) => store.endpoints ?? [],
  }),
  driver: app<driver.Config>({ read: driver.readConfig, listens: ({ listen }) => [listen], dials: () => [] }),
  edge: app<edge.Config>({ read: edge.readConfig, listens: ({ listen }) => [listen], dials: (config) => config.discovery }),
  supervisor: app<supervisor.Config>({
    read: supervisor.readConfig,
    listens: ({ listen }) => [listen],
    dials: ({ gateways }) => gateways,
  }),
  boundary: app<boundary.Config>({ read: boundary.readConfig, listens: ({ listen }) => [listen], dials: () => [] }),
};

export interface Read {
  readonly problems: readonly string[];
  readonly config: { readonly process: { readonly adminListen: Address; readonly drainMs: number } } | undefined;
  readonly listens: readonly Address[];
  readonly dials: readonly string[];
}

/** What the app in this container makes of its arguments and environment, with the files of its mounts in place. */
export function readContainer(name: AppName, spec: PodSpec, container: Container): Read {
  const laid = layMounts(spec, container);
  try {
    const env = Object.fromEntries((container.env ?? []).map(({ name: variable, value }) => [variable, value]));
    return readArguments(name, (container.args ?? []).map(laid.here), env);
  } finally {
    laid.remove();
  }
}

export function readArguments(name: AppName, args: readonly string[], env: Record<string, string> = {}): Read {
  const { read, listens, dials } = APPS[name];
  const reading = read({ env, args }) as Reading<never>;
  if (reading.kind !== 'read') {
    const problems = reading.kind === 'invalid' ? reading.problems : [reading.kind];
    return { problems, config: undefined, listens: [], dials: [] };
  }
  const { config } = reading;
  return { problems: [], config, listens: listens(config).filter((address) => address !== undefined), dials: dials(config) };
}
