import { type Asked, type Code, checkRequest, forwardRequest, type RequestHead } from '@sallyport/http1';
import { err, type Host, type Instant, ok, type Result } from '@sallyport/model';
import type { Permit, Route } from '@sallyport/routes';
import type { ClientSide } from './client-side.ts';
import type { ServingInstance } from './instance.ts';
import { type Origin, originOf } from './peer.ts';
import { codecPolicy } from './policy.ts';
import type { Carrier } from './streams.ts';

/** A request that may go to its route, and is registered there: a withdrawal finds it from this moment on. */
export interface Admitted {
  readonly asked: Asked;
  readonly origin: Origin;
  readonly permit: Permit;
  readonly route: Route;
  readonly policy: ReturnType<typeof codecPolicy>;
  /** The head for the application, made once: attempts only send it. */
  readonly headText: string;
  /** Takes it out of the registry and the counts; more than once does no harm. */
  leave(): void;
}

export interface Refused {
  readonly code: Code;
  readonly reason: string;
  /** '' where not even the Host could be read. */
  readonly host: string;
}

/**
 * Judges a request and registers it, in one turn: no await between `admit` and `open`, so that nothing can be withdrawn
 * in the gap.
 */
export function admitRequest(
  client: ClientSide,
  instance: ServingInstance,
  head: RequestHead,
  carrier: Carrier,
  now: Instant,
): Result<Admitted, Refused> {
  const { trusted, statedClients } = client.surroundings;
  const checked = checkRequest(head);
  if (!checked.ok) return err({ ...checked.error, host: '' });
  const asked = checked.value;
  const { host } = asked;
  const verdict = instance.admit({ serverName: client.serverName, host: host as Host }, now);
  if (!verdict.ok) return err({ code: verdict.error, reason: 'not admitted', host });
  const origin = originOf(head, client.peer, trusted);
  const counted = origin.client !== client.peer.address;
  if (counted && !statedClients.enter(origin.client))
    return err({ code: 'over_limit', reason: `too many exchanges of ${origin.client}`, host });
  const permit = verdict.value;
  if (!instance.open(permit, carrier)) {
    if (counted) statedClients.leave(origin.client);
    return err({ code: 'over_limit', reason: 'too many streams of this route', host });
  }
  const { route } = permit;
  const policy = codecPolicy(route);
  let entered = true;
  return ok({
    asked,
    origin,
    permit,
    route,
    policy,
    headText: forwardRequest(head, asked, { policy, port: route.port, forwardedFor: origin.forwardedFor }),
    leave() {
      if (!entered) return;
      entered = false;
      instance.done(route, carrier);
      if (counted) statedClients.leave(origin.client);
    },
  });
}
