import type { RecordChange, World } from '@sallyport/authority';
import type { Instant, SandboxId } from '@sallyport/model';
import type { Clock } from '@sallyport/process';
import type { View } from '@sallyport/view';
import { gatewayV1 } from '@sallyport/wire';
import type { ServiceStates } from './service-states.ts';

const { SERVICE_STATE_INSTALLED, SERVICE_STATE_PUBLISHED, SERVICE_STATE_WITHDRAWN } = gatewayV1.ServiceState;

interface Seen {
  readonly state: gatewayV1.ServiceState;
  readonly at: Instant;
  /** The configuration under which it was published last; undefined when it never was. */
  readonly publishedAs: bigint | undefined;
}

export interface SinceOptions {
  readonly world: World;
  readonly view: Pick<View, 'onChange'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** States with the time since when they are so, as far as this gateway has seen; and what was published and is no more. */
export function followServiceStates(states: ServiceStates, { world, view, clock }: SinceOptions): ServiceStates {
  const seen = new Map<SandboxId, Map<string, Seen>>();

  const of: ServiceStates['of'] = (sandboxId, configuration, service) => {
    const judged = states.of(sandboxId, configuration, service);
    const ofSandbox = seen.get(sandboxId) ?? new Map<string, Seen>();
    seen.set(sandboxId, ofSandbox);
    const before = ofSandbox.get(service.service);
    const wasPublished = before?.publishedAs === configuration.revision;
    // Its supervisor has what is declared, and it was published so: then somebody took it back.
    const isWithdrawn = judged.state === SERVICE_STATE_INSTALLED && wasPublished;
    const state = isWithdrawn ? SERVICE_STATE_WITHDRAWN : judged.state;
    const publishedAs = state === SERVICE_STATE_PUBLISHED ? configuration.revision : before?.publishedAs;
    const now = clock.now();
    const at = before?.state === state ? before.at : now;
    ofSandbox.set(service.service, { state, at, publishedAs });
    const detail = isWithdrawn
      ? 'it was published, and is withheld now: the driver or the supervisor no longer vouches for it'
      : judged.detail;
    return { ...judged, state, detail, sinceMs: BigInt(Math.max(1, Math.floor(now - at))) };
  };

  function look(changes: readonly RecordChange[]): void {
    for (const { key } of changes) {
      if (!('sandboxId' in key)) continue;
      const configuration = world.configs.get(key.sandboxId)?.value;
      if (configuration === undefined) seen.delete(key.sandboxId);
      else for (const service of configuration.services) of(key.sandboxId, configuration, service);
    }
  }

  view.onChange(look);
  return { of };
}
