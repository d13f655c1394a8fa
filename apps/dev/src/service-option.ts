import {
  type CookiePolicy,
  DEFAULT_POLICY,
  err,
  isPort,
  type OriginPolicy,
  ok,
  parseServiceRef,
  type Result,
  type ServicePolicy,
  type ServiceRef,
} from '@sallyport/model';

/** One service to serve: whose, and the loopback port behind it. */
export interface WantedService {
  readonly ref: ServiceRef;
  readonly port: number;
  readonly policy: ServicePolicy;
}

/** Whose a service is that gives only its own name. */
const DEFAULT_SANDBOX = 'team/demo';
/** What the connector dials: an application inside a sandbox listens on loopback, or it is not inside. */
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]', '::1', '']);

export const SERVICE_FORM = 'web=3000, team/mybox/web=3000 or team/mybox/web=127.0.0.1:3000';

/** Reads `[workspace/sandbox[/service] | service]=[address:]port[,host=…][,origin=…][,cookies=…]`. */
export function parseServiceOption(text: string): Result<WantedService, string> {
  const shown = JSON.stringify(text.slice(0, 120));
  const at = text.indexOf('=');
  if (at <= 0) return err(`${shown} names no port: write it as ${SERVICE_FORM}`);
  const [target = '', ...options] = text.slice(at + 1).split(',');
  const name = text.slice(0, at);
  const ref = parseServiceRef(name.includes('/') ? name : `${DEFAULT_SANDBOX}/${name}`);
  if (!ref.ok) return err(`${shown}: ${ref.error}; write it as ${SERVICE_FORM}`);
  const colon = target.lastIndexOf(':');
  const address = colon < 0 ? '' : target.slice(0, colon);
  const portText = target.slice(colon + 1);
  if (!LOOPBACK.has(address)) {
    return err(`${shown}: ${address} cannot be reached: only this machine's loopback can; write it as ${SERVICE_FORM}`);
  }
  const port = /^\d{1,6}$/.test(portText) ? Number(portText) : Number.NaN;
  if (!isPort(port))
    return err(`${shown}: port ${JSON.stringify(portText)} is not between 1 and 65535; write it as ${SERVICE_FORM}`);
  const policy = parsePolicy(options);
  return policy.ok ? ok({ ref: ref.value, port, policy: policy.value }) : err(`${shown}: ${policy.error}`);
}

const ORIGINS: readonly OriginPolicy[] = ['keep', 'match-host', 'strip'];
const COOKIES: readonly CookiePolicy[] = ['isolate', 'pass'];

function parsePolicy(options: readonly string[]): Result<ServicePolicy, string> {
  let policy = DEFAULT_POLICY;
  for (const option of options) {
    const [key, value = ''] = option.split('=', 2);
    const origin = ORIGINS.find((each) => each === value);
    const cookies = COOKIES.find((each) => each === value);
    if (key === 'host' && value !== '')
      policy = { ...policy, host: value === 'public' || value === 'loopback' ? { kind: value } : { kind: 'value', value } };
    else if (key === 'origin' && origin !== undefined) policy = { ...policy, origin };
    else if (key === 'cookies' && cookies !== undefined) policy = { ...policy, cookies };
    else
      return err(
        `${JSON.stringify(option)} is none of host=public|loopback|VALUE, origin=keep|match-host|strip, cookies=isolate|pass`,
      );
  }
  return ok(policy);
}

/** Every service once, and each host once. */
export function findTwice(services: readonly WantedService[]): string | undefined {
  const names = services.map(({ ref }) => `${ref.workspace}/${ref.sandbox}/${ref.service}`);
  return names.find((name, index) => names.indexOf(name) !== index);
}
