import {
  type ConfigRevision,
  type Configuration,
  type ConfiguredService,
  type CookiePolicy,
  type HostPolicy,
  type OriginPolicy,
  type SandboxId,
  SERVICES_PER_SANDBOX_MAX,
  type ServicePolicy,
} from '@sallyport/model';
import type { Check } from './check.ts';
import * as pb from './gen/sallyport/supervisor/v1/supervisor.ts';

/** Of a fixed Host value that the application shall see: a host name or address with a port. */
export const HOST_VALUE_LENGTH_MAX = 260;
const HOST_VALUE = /^[A-Za-z0-9[\]:._-]+$/;

const ORIGINS: Record<OriginPolicy, pb.OriginPolicy> = {
  keep: pb.OriginPolicy.ORIGIN_POLICY_KEEP,
  'match-host': pb.OriginPolicy.ORIGIN_POLICY_MATCH_HOST,
  strip: pb.OriginPolicy.ORIGIN_POLICY_STRIP,
};
const COOKIES: Record<CookiePolicy, pb.CookiePolicy> = {
  isolate: pb.CookiePolicy.COOKIE_POLICY_ISOLATE,
  pass: pb.CookiePolicy.COOKIE_POLICY_PASS,
};

/** The name that a table gives to a protobuf number; undefined for one that it does not know. */
export function nameIn<Name extends string, Number extends number>(
  table: Record<Name, Number>,
  number: Number,
): Name | undefined {
  return (Object.keys(table) as Name[]).find((name) => table[name] === number);
}

const hostPolicyText = (host: HostPolicy): string =>
  host.kind === 'value' ? host.value : host.kind === 'loopback' ? 'loopback' : '';

export const policyMessage = (policy: ServicePolicy): pb.ServicePolicy => ({
  host: hostPolicyText(policy.host),
  origin: ORIGINS[policy.origin],
  cookies: COOKIES[policy.cookies],
});

/** Absent and unspecified are the defaults; an unknown number is refused, because a weaker policy is not a guess to make. */
export function readPolicy(check: Check, field: string, message: pb.ServicePolicy | undefined): ServicePolicy {
  const { host, origin, cookies } = message ?? pb.ServicePolicy.create();
  return {
    host: readHostPolicy(check, `${field}.host`, host),
    origin:
      origin === pb.OriginPolicy.ORIGIN_POLICY_UNSPECIFIED
        ? 'keep'
        : (nameIn(ORIGINS, origin) ?? check.fail(`${field}.origin is not known`)),
    cookies:
      cookies === pb.CookiePolicy.COOKIE_POLICY_UNSPECIFIED
        ? 'isolate'
        : (nameIn(COOKIES, cookies) ?? check.fail(`${field}.cookies is not known`)),
  };
}

function readHostPolicy(check: Check, field: string, text: string): HostPolicy {
  if (text === '') return { kind: 'public' };
  if (text === 'loopback') return { kind: 'loopback' };
  if (text.length > HOST_VALUE_LENGTH_MAX || !HOST_VALUE.test(text))
    return check.fail(`${field} is not loopback, nor a host with or without a port`);
  return { kind: 'value', value: text };
}

export const configurationMessage = (configuration: Configuration): pb.ConfigurationSnapshot => ({
  sandboxId: configuration.sandboxId,
  workspace: configuration.workspace,
  sandbox: configuration.sandbox,
  revision: configuration.revision,
  hash: configuration.hash,
  services: configuration.services.map(({ service, host, port, policy }) => ({
    service,
    host,
    port,
    policy: policyMessage(policy),
  })),
});

export function readConfiguration(check: Check, field: string, message: pb.ConfigurationSnapshot | undefined): Configuration {
  const snapshot = check.required(field, message);
  const services = check.list(`${field}.services`, snapshot.services, SERVICES_PER_SANDBOX_MAX, (service) =>
    readService(check, `${field}.services`, service),
  );
  if (new Set(services.map(({ service }) => service)).size < services.length)
    check.fail(`${field}.services names a service twice`);
  if (new Set(services.map(({ host }) => host)).size < services.length) check.fail(`${field}.services names a host twice`);
  return {
    sandboxId: check.id<SandboxId>(`${field}.sandbox_id`, snapshot.sandboxId),
    workspace: check.workspace(`${field}.workspace`, snapshot.workspace),
    sandbox: check.sandbox(`${field}.sandbox`, snapshot.sandbox),
    revision: check.epoch<ConfigRevision>(`${field}.revision`, snapshot.revision),
    hash: check.hash(`${field}.hash`, snapshot.hash),
    services,
  };
}

const readService = (check: Check, field: string, message: pb.ConfiguredService): ConfiguredService => ({
  service: check.service(`${field}.service`, message.service),
  host: check.host(`${field}.host`, message.host),
  port: check.port(`${field}.port`, message.port),
  policy: readPolicy(check, `${field}.policy`, message.policy),
});
