import { sleep, until } from '../../authority/rig/until.ts';
import type { Answer, Client } from './client.ts';
import { hostOf, type Installation, POOL, type Workload } from './installation.ts';
import type { RunningPod, Texts } from './plan.ts';
import { PORTS } from './plans.ts';
import type { Sight } from './publication.ts';

const SERVED_MS = 30_000;

/** What the application says of itself. */
export interface Told {
  readonly pid: number;
  readonly memory: string;
  readonly headers: Texts;
}

export const told = ({ body = '' }: Answer): Told => JSON.parse(body) as Told;

/** The labels and annotations that make a Pod a sandbox `team/<name>` of the shared pool. */
export const sandboxMarks = (sandbox: string, services: string, mode: 'shared' | 'dedicated' = 'shared') => ({
  labels: { workspace: 'team', sandbox, ...(mode === 'shared' ? { pool: POOL } : { mode }) },
  annotations: { services, boundary: String(PORTS.boundary) },
});

/** Makes the Pod a sandbox and measures until the first good answer through a listener; milliseconds. */
export async function labelAndServe(
  installation: Installation,
  client: Client,
  { pod, appPort }: Workload,
  at: RunningPod,
  sandbox: string,
): Promise<{ readonly servedMs: number; readonly answer: Told }> {
  const labelledAt = performance.now();
  await installation.cluster.mark(pod, sandboxMarks(sandbox, `web=${appPort}`));
  const answer = await untilServed(client, at, hostOf(sandbox));
  return { servedMs: performance.now() - labelledAt, answer };
}

export async function untilServed(client: Client, at: RunningPod, host: string, withinMs = SERVED_MS): Promise<Told> {
  let last: Answer = { status: 0 };
  await until(
    `${host} is served at ${at.name}`,
    async () => {
      last = await client.get(at, { host });
      if (last.status !== 200) throw new Error(JSON.stringify(last));
      return true;
    },
    withinMs,
  );
  return told(last);
}

/** How long until it answers with this code of ours, or not at all; milliseconds. */
export function untilRefused(
  client: Client,
  at: RunningPod,
  host: string,
  codes: readonly string[],
  withinMs = SERVED_MS,
): Promise<number> {
  return until(
    `${host} is refused with ${codes.join(' or ')}`,
    async () => {
      const { status, code = '', error } = await client.get(at, { host });
      if (status === 200 || !(codes.includes(code) || (error !== undefined && codes.includes('none'))))
        throw new Error(`${status} ${code} ${error ?? ''}`);
      return true;
    },
    withinMs,
  );
}

export const untilPublished = (installation: Installation, host: string, at: RunningPod, withinMs = SERVED_MS): Promise<number> =>
  until(
    `${host} is published at ${at.name}`,
    async () => (await installation.publication.resolve(host))?.endpoint?.podUid === at.uid,
    withinMs,
  );

export const untilUnpublished = (installation: Installation, host: string, withinMs = SERVED_MS): Promise<number> =>
  until(`${host} is not published`, async () => (await installation.publication.resolve(host)) === undefined, withinMs);

/** A gateway that has only just begun suspects nobody; milliseconds. */
const GRACE_MS = 21_000;

/** Waits until an owner that is lost counts as lost. */
export const pastTheGrace = ({ gatewaysAt }: Installation): Promise<void> =>
  sleep(Math.max(0, gatewaysAt + GRACE_MS - performance.now()));

/** Places that were shown although they are another owner's; each owner is one Pod, and an address counts with its Pod. */
export function strayPlaces(sights: readonly Sight[], host: string): readonly string[] {
  const shown = sights.flatMap((sight) => (sight.host === host && sight.shown !== undefined ? [sight.shown] : []));
  const placeOf = new Map<bigint, string>();
  const stray: string[] = [];
  let newest = 0n;
  for (const { ownerEpoch, podUid, address } of shown) {
    const place = `${address} ${podUid}`;
    const known = placeOf.get(ownerEpoch) ?? place;
    placeOf.set(ownerEpoch, known);
    if (known !== place) stray.push(`owner ${ownerEpoch} at ${known} and at ${place}`);
    if (ownerEpoch < newest) stray.push(`owner ${ownerEpoch} after ${newest}`);
    newest = ownerEpoch > newest ? ownerEpoch : newest;
  }
  return stray;
}
