import type { Host } from './host.ts';
import type { ConfigRevision, SandboxId, SandboxName, ServiceName, WorkspaceId } from './ids.ts';

/** What `Host` the application sees: its public name, `localhost` with its port, or a fixed value. */
export type HostPolicy =
  | { readonly kind: 'public' }
  | { readonly kind: 'loopback' }
  | { readonly kind: 'value'; readonly value: string };
/** What `Origin` it sees: as sent, rewritten to agree with the Host it sees, or none. */
export type OriginPolicy = 'keep' | 'match-host' | 'strip';
/** `isolate` takes the Domain from a `Set-Cookie` that would cover neighbours under one parent domain. */
export type CookiePolicy = 'isolate' | 'pass';

export interface ServicePolicy {
  readonly host: HostPolicy;
  readonly origin: OriginPolicy;
  readonly cookies: CookiePolicy;
}

export const DEFAULT_POLICY: ServicePolicy = { host: { kind: 'public' }, origin: 'keep', cookies: 'isolate' };

/** What the operator wants served: a service of a sandbox, on a loopback port of it. */
export interface Declaration {
  readonly service: ServiceName;
  /** 1 to 65535. */
  readonly port: number;
  readonly policy: ServicePolicy;
}

/** A declaration with the host that the gateway gave it. */
export interface ConfiguredService extends Declaration {
  readonly host: Host;
}

/** All declarations of one sandbox: a whole value, numbered. */
export interface Configuration {
  readonly sandboxId: SandboxId;
  readonly workspace: WorkspaceId;
  readonly sandbox: SandboxName;
  readonly revision: ConfigRevision;
  /** SHA-256 over the canonical content, hexadecimal; made by the gateway. */
  readonly hash: string;
  readonly services: readonly ConfiguredService[];
  /** What of it the workload declares itself; not part of the content. Absent: nothing. */
  readonly followed?: FollowedDeclarations;
}

/** Only this is withdrawn when the workload goes; the rest is an operator's. */
export interface FollowedDeclarations {
  /** The sandbox itself was registered for the workload. */
  readonly registered: boolean;
  readonly services: readonly ServiceName[];
}

/** Services that one sandbox may declare. */
export const SERVICES_PER_SANDBOX_MAX = 64;

export const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535;
