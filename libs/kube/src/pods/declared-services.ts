import {
  type CookiePolicy,
  err,
  type HostPolicy,
  isPort,
  type OriginPolicy,
  ok,
  parseServiceName,
  type Result,
  SERVICES_PER_SANDBOX_MAX,
  type ServiceName,
} from '@sallyport/model';
import { TEXT_LENGTH_MAX } from './pod.ts';
import type { DeclaredService } from './workload.ts';

export interface DeclaredServices {
  readonly services: readonly DeclaredService[];
  /** What of it is not followed, and why; empty: all is. */
  readonly problem: string;
}

const HOST_VALUE = /^[A-Za-z0-9[\]:._-]{1,260}$/;

/**
 * `services: "web=8080,api=9000"`, or a bare port for the service without a name. An entry that is wrong is left out and named;
 * the others are served. A policy that is wrong may be the one that protects, so then nothing is.
 */
export function readServices(annotations: Readonly<Record<string, string>>): DeclaredServices {
  const ports = readPorts(annotations.services ?? '');
  const names = [...ports.found.keys()];
  const hosts = readPolicy(annotations.host, 'host', names, hostPolicy);
  const origins = readPolicy(annotations.origin, 'origin', names, oneOf<OriginPolicy>(['keep', 'match-host', 'strip']));
  const cookies = readPolicy(annotations.cookies, 'cookies', names, oneOf<CookiePolicy>(['isolate', 'pass']));
  for (const policy of [hosts, origins, cookies])
    if (!policy.ok) return { services: [], problem: `nothing is served: ${policy.error}` };
  if (!hosts.ok || !origins.ok || !cookies.ok) return { services: [], problem: '' };
  return {
    services: [...ports.found].map(([service, port]) => ({
      service,
      port,
      policy: {
        host: hosts.value(service) ?? { kind: 'public' },
        origin: origins.value(service) ?? 'keep',
        cookies: cookies.value(service) ?? 'isolate',
      },
    })),
    problem: ports.problems.join('; '),
  };
}

function readPorts(text: string): { readonly found: ReadonlyMap<ServiceName, number>; readonly problems: readonly string[] } {
  const found = new Map<ServiceName, number>();
  const twice = new Set<ServiceName>();
  const problems: string[] = [];
  if (text.length > TEXT_LENGTH_MAX) return { found, problems: [`sallyport.dev/services is longer than ${TEXT_LENGTH_MAX}`] };
  for (const entry of text.split(',').map((each) => each.trim())) {
    if (entry === '') continue;
    const read = readPort(entry);
    if (!read.ok) problems.push(`sallyport.dev/services: ${read.error}`);
    else if (found.has(read.value.service)) twice.add(read.value.service);
    else if (found.size === SERVICES_PER_SANDBOX_MAX)
      problems.push(`sallyport.dev/services: more than ${SERVICES_PER_SANDBOX_MAX}`);
    else found.set(read.value.service, read.value.port);
  }
  for (const service of twice) {
    // Which of them was meant is a guess.
    found.delete(service);
    problems.push(`sallyport.dev/services names ${service === '' ? 'the service without a name' : service} twice`);
  }
  // One line for people is enough.
  return { found, problems: problems.slice(0, 8) };
}

function readPort(entry: string): Result<{ readonly service: ServiceName; readonly port: number }, string> {
  const [, name = '', digits = ''] = /^(?:([^=]+)=)?(\d{1,5})$/.exec(entry) ?? [];
  if (digits === '') return err(`${quote(entry)} is not name=port`);
  const service = parseServiceName(name.trim());
  if (!service.ok) return service;
  const port = Number(digits);
  return isPort(port) ? ok({ service: service.value, port }) : err(`${quote(entry)}: port ${port} is not between 1 and 65535`);
}

/** One value for all services, or `web=loopback,api=public`. */
function readPolicy<T>(
  text: string | undefined,
  field: string,
  names: readonly ServiceName[],
  parse: (text: string) => T | undefined,
): Result<(service: ServiceName) => T | undefined, string> {
  if (text === undefined) return ok(() => undefined);
  const problem = (what: string) => err(`sallyport.dev/${field}: ${what}`);
  if (text.length > TEXT_LENGTH_MAX) return problem(`longer than ${TEXT_LENGTH_MAX}`);
  if (!text.includes('=')) {
    const value = parse(text.trim());
    return value === undefined ? problem(`${quote(text)} is no such policy`) : ok(() => value);
  }
  const values = new Map<string, T>();
  for (const entry of text.split(',')) {
    const [name = '', valueText = ''] = entry.split('=').map((each) => each.trim());
    const value = parse(valueText);
    if (value === undefined) return problem(`${quote(entry)} is no such policy`);
    if (!names.includes(name as ServiceName)) return problem(`${quote(name)} is no service of this Pod`);
    if (values.has(name)) return problem(`${quote(name)} has two`);
    values.set(name, value);
  }
  return ok((service) => values.get(service));
}

function hostPolicy(text: string): HostPolicy | undefined {
  if (text === 'public' || text === 'loopback') return { kind: text };
  return HOST_VALUE.test(text) ? { kind: 'value', value: text } : undefined;
}

const oneOf =
  <T extends string>(values: readonly T[]) =>
  (text: string): T | undefined =>
    values.find((value) => value === text);

const quote = (text: string): string => JSON.stringify(text.slice(0, 80));
