import { isIP } from 'node:net';
import type { Endpoint } from '@sallyport/authority';
import { err, type Failure, failure, fenced, ok, type PoolId, type Result } from '@sallyport/model';
import { STALE_MS } from '../api/reflector-limits.ts';
import { type Pod, podName } from './pod.ts';

export type Family = 'ipv4' | 'ipv6';

export interface EndpointView {
  /** Undefined: nothing has been listed yet. */
  readonly ageMs: number | undefined;
  readonly pod: Pod | undefined;
  readonly pool: Result<PoolId, string>;
  usersOf(ip: string): ReadonlySet<string>;
  /** Where its own Service says it is, for a Pod that asks for that. */
  readonly slice: SliceAnswer | undefined;
}

/** What the EndpointSlices of a Service say about one Pod. */
export type SliceAnswer =
  | { readonly kind: 'at'; readonly ips: readonly string[]; readonly ports: readonly number[] }
  | { readonly kind: 'nowhere'; readonly why: string };

export interface EndpointAsked {
  readonly poolId: PoolId;
  readonly supervisorUid: string;
  readonly appPort: number;
}

/**
 * Where a supervisor can be reached, or the first reason why not. Everything is about one UID: a name and an address may belong
 * to another Pod by now.
 */
export function resolveEndpoint(view: EndpointView, asked: EndpointAsked, prefer: Family): Result<Endpoint, Failure> {
  const { pod, ageMs } = view;
  if (ageMs === undefined) return err(failure('not-ready', 'the driver has not seen the Pods yet'));
  if (ageMs > STALE_MS)
    return err(failure('not-ready', `the driver has heard nothing of the Pods for ${Math.round(ageMs / 1_000)} s`));
  if (asked.appPort === 0) return refused(`the application listener of ${asked.supervisorUid} is off`);
  if (pod === undefined || pod.uid !== asked.supervisorUid) return refused(`there is no Pod with the UID ${asked.supervisorUid}`);
  const name = podName(pod);
  if (!view.pool.ok) return refused(`Pod ${name}: ${view.pool.error}`);
  if (view.pool.value !== asked.poolId) return refused(`Pod ${name} is of another pool than ${asked.poolId}`);
  if (pod.terminal) return refused(`Pod ${name} has ended`);
  if (pod.deleting) return refused(`Pod ${name} is being deleted`);
  if (!pod.ready) return refused(`Pod ${name} is not ready`);
  if (pod.hostNetwork) return refused(`Pod ${name} is on its node's network: its address is not its own`);
  const { slice } = view;
  if (slice?.kind === 'nowhere') return refused(`Pod ${name}: ${slice.why}`);
  if (slice !== undefined && !slice.ports.includes(asked.appPort))
    return refused(`Pod ${name}: its Service has no port ${asked.appPort}`);
  const address = choose(slice?.ips ?? pod.ips, prefer);
  if (address === undefined) return refused(`Pod ${name} has no address`);
  if (!pod.ips.includes(address)) return refused(`Pod ${name}: its Service names ${address}, which is not the Pod's`);
  if (view.usersOf(address).size > 1) return refused(`${address} is claimed by several Pods that live`);
  return ok({ address, port: asked.appPort, podUid: pod.uid });
}

/** The family that is preferred, else whichever there is. */
export const choose = (ips: readonly string[], prefer: Family): string | undefined =>
  ips.find((ip) => isIP(ip) === (prefer === 'ipv4' ? 4 : 6)) ?? ips[0];

const refused = (why: string) => err(fenced('endpoint', why));
