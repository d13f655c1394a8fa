import { type DiscoveryRecord, resolveHost, snapshotOf } from '@sallyport/catalog';
import { err, type Failure, failure, type Instant, normaliseHost, ok, type Result, type WorkspaceId } from '@sallyport/model';
import type { Clock } from '@sallyport/process';
import { admitted, type Binding, bind, type Caller, discoveryV1 } from '@sallyport/wire';
import type { CatalogView } from './catalog-view.ts';
import type { Readers, Sees } from './readers.ts';

export interface DiscoveryOptions {
  readonly view: CatalogView;
  readonly readers: Readers;
  readonly clock: Clock;
  /** Where browsers reach applications; 443 is left out of URLs. */
  readonly urlPort: () => number;
}

/** Records in one part of a snapshot: well below a message's bytes. */
export const RECORDS_PER_PART_MAX = 500;
/** Workspaces that one request may name. */
const WORKSPACES_MAX = 10_000;
const HOST_TEXT_MAX = 254;

export function discoveryService({ view, readers, clock, urlPort }: DiscoveryOptions): Binding {
  /** Who asks comes first: whether we are ready is nobody else's business. */
  async function admit(caller: Caller): Promise<Result<Sees, Failure>> {
    const sees = await readers.admit(caller);
    if (!sees.ok) return sees;
    const why = view.notReady();
    return why === undefined ? sees : err(failure('not-ready', why));
  }

  const message = (record: DiscoveryRecord, now: Instant): discoveryV1.Record => {
    const { until, endpoint, ...rest } = record;
    const port = urlPort() || endpoint.port;
    return {
      ...rest,
      endpoint: { ...endpoint },
      url: `https://${record.host}${port === 443 ? '' : `:${port}`}/`,
      // Rounded down: a record never lives longer than it is shown to.
      ttlMs: Math.max(0, Math.floor(until - now)),
    };
  };

  return bind(discoveryV1.DiscoveryServiceService, {
    async getSnapshot(request, stream, caller) {
      const seen = await admit(caller);
      if (!seen.ok) return seen;
      const asked = narrowed(request.workspaces, seen.value);
      if (!asked.ok) return asked;
      const { world, evidence } = view;
      const records = snapshotOf(world, evidence, clock.now(), asked.value);
      const token = `${world.generation?.value ?? ''}.${world.revision}`;
      for (let from = 0; ; from += RECORDS_PER_PART_MAX) {
        const part = records.slice(from, from + RECORDS_PER_PART_MAX);
        const isLast = from + RECORDS_PER_PART_MAX >= records.length;
        const now = clock.now();
        stream.send({ part: { records: part.map((record) => message(record, now)), token: isLast ? token : '' } });
        if (isLast || stream.signal.aborted) return ok(undefined);
        await stream.drained();
      }
    },
    async resolve(request, caller) {
      const sees = await admit(caller);
      if (!sees.ok) return sees;
      const host = admitted((check) => check.host('host', normaliseHost(check.text('host', request.host, HOST_TEXT_MAX))));
      if (!host.ok) return host;
      const now = clock.now();
      const record = resolveHost(view.world, view.evidence, now, sees.value, host.value);
      return record === undefined
        ? err(failure('unknown', `${host.value} is not published`))
        : ok({ record: message(record, now) });
    },
    async watch(_stream, caller) {
      const sees = await readers.admit(caller);
      return sees.ok ? err(failure('unsupported', 'this release has no watch yet: ask for snapshots')) : sees;
    },
    async explain(_request, caller) {
      const sees = await readers.admit(caller);
      return sees.ok ? err(failure('unsupported', 'this release explains nothing yet')) : sees;
    },
  });
}

/** What is seen of the workspaces that were asked for; all that is seen if none was named. */
function narrowed(workspaces: readonly string[], sees: Sees): Result<Sees, Failure> {
  if (workspaces.length === 0) return ok(sees);
  const named = admitted((check) =>
    check.list('workspaces', workspaces, WORKSPACES_MAX, (name) => check.workspace('workspaces', name)),
  );
  if (!named.ok) return named;
  const seen = new Set<WorkspaceId>(named.value.filter(sees));
  if (seen.size === 0) return err(failure('forbidden', 'none of these workspaces may be seen'));
  return ok((workspace) => seen.has(workspace));
}
