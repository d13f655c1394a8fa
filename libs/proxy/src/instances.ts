import type { Host, Instant, SandboxId } from '@sallyport/model';
import type { Clock } from './clock.ts';
import { createInstance, type Instance, type InstanceOptions, type ServingInstance } from './instance.ts';

/** All instances of the process, by the hosts they serve or once served. One listener asks it at every handshake and request. */
export interface Instances {
  start(options: InstanceOptions): Instance;
  /** Who serves this host now; the supervisor rejects a configuration that claims a host of another sandbox. */
  claims(host: Host): SandboxId | undefined;
  all(): readonly Instance[];
  sweep(now: Instant): void;
  /** For the listener: who answers for this host, also if it is merely known (withdrawn, rejected, expired). */
  byHost(host: Host): ServingInstance | undefined;
}

export function createInstances({ clock }: { readonly clock: Clock }): Instances {
  const running = new Set<ServingInstance>();
  const serving = new Map<Host, ServingInstance>();
  const knowing = new Map<Host, ServingInstance>();
  const hostsOf = new Map<ServingInstance, { serving: Set<Host>; knowing: ReadonlySet<Host> }>();

  function forget(instance: ServingInstance): void {
    const hosts = hostsOf.get(instance);
    if (hosts === undefined) return;
    for (const host of hosts.serving) serving.delete(host);
    for (const host of hosts.knowing) if (knowing.get(host) === instance) knowing.delete(host);
    hostsOf.delete(instance);
  }

  const surroundings = {
    clock,
    servedHere: (host: Host) => serving.has(host),
    index(instance: ServingInstance, table: { routes: ReadonlyMap<Host, unknown>; known: ReadonlySet<Host> }): readonly Host[] {
      forget(instance);
      const mine = new Set<Host>();
      const refused: Host[] = [];
      for (const host of table.routes.keys()) {
        if (serving.has(host)) {
          refused.push(host);
          continue;
        }
        serving.set(host, instance);
        mine.add(host);
      }
      // The latest to have served a host explains why it is gone.
      for (const host of table.known) knowing.set(host, instance);
      hostsOf.set(instance, { serving: mine, knowing: table.known });
      return refused;
    },
    remove(instance: ServingInstance) {
      forget(instance);
      running.delete(instance);
    },
  };

  return {
    start(options) {
      const instance = createInstance(options, surroundings);
      running.add(instance);
      return instance;
    },
    claims: (host) => serving.get(host)?.sandboxId,
    all: () => [...running],
    sweep(now) {
      for (const instance of running) instance.sweep(now);
    },
    byHost: (host) => serving.get(host) ?? knowing.get(host),
  };
}
