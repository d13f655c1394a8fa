import { type Configuration, type Host, isUnderDomain, type SandboxId, SERVICES_PER_SANDBOX_MAX } from '@sallyport/model';

/** What this supervisor will not serve, whatever the gateway says. */
export interface ServingRules {
  /** The domain that its certificates are for. Undefined: it has none, because its listener is off. */
  readonly domain: string | undefined;
  /** Ports of the supervisor itself: an application on one of them would be a loop, or a way to its own doors. */
  readonly ownPorts: ReadonlySet<number>;
  /** Which other sandbox of this process serves a host now. */
  claims(host: Host): SandboxId | undefined;
}

/** Why a configuration is rejected, whole, as one sentence for people; undefined when it can be installed. */
export function rejectionOf(configuration: Configuration, sandboxId: SandboxId, rules: ServingRules): string | undefined {
  const { services } = configuration;
  if (configuration.sandboxId !== sandboxId) return `the configuration is for sandbox ${configuration.sandboxId}`;
  if (services.length > SERVICES_PER_SANDBOX_MAX)
    return `${services.length} services are declared; at most ${SERVICES_PER_SANDBOX_MAX} are served`;
  const hosts = new Set<Host>();
  for (const { host, port } of services) {
    if (rules.domain !== undefined && !isUnderDomain(host, rules.domain))
      return `host ${host} is not under this supervisor's domain ${rules.domain}`;
    if (hosts.has(host)) return `host ${host} is declared twice`;
    hosts.add(host);
    const holder = rules.claims(host);
    if (holder !== undefined && holder !== sandboxId) return `host ${host} belongs to sandbox ${holder} on this supervisor`;
    if (rules.ownPorts.has(port)) return `port ${port} is the supervisor's own`;
  }
  return undefined;
}
