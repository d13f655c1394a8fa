import { type CatalogRecord, type Follower, inScope, type Scope, type Sent, type WatchMessage } from '@sallyport/catalog';
import { type Instant, LONG_AGO } from '@sallyport/model';
import type { PublishedRecord } from '@sallyport/wire';
import type { Coverage } from '../coverage.ts';
import { type ConsumerLife, PRINCIPAL } from '../nodes/consumer-node.ts';
import type { ReaderLife } from '../nodes/reader-node.ts';
import type { SimProcess } from '../time/sim-process.ts';
import type { Court } from './violations.ts';

/** Every watch of discovery: what was sent on it, and what whoever followed it then held. */
export interface StreamTruth {
  opened(
    consumer: SimProcess,
    follower: Follower<PublishedRecord>,
    server: ReaderLife | undefined,
  ): (way: 'up' | 'down', moment: 'sent' | 'arrived', message: unknown) => void;
  /** The follower has taken this message. */
  taken(life: ConsumerLife, sent: Sent<PublishedRecord>): void;
}

export interface StreamTruthOptions {
  readonly court: Court;
  readonly coverage: Coverage;
}

const NOTHING: Scope = new Set();
const ALL_HELD = (LONG_AGO + 1) as Instant;

export function createStreamTruth({ court, coverage }: StreamTruthOptions): StreamTruth {
  /** What a message that closes something brings its reader to, as its server had it then. */
  const wanted = new WeakMap<object, string>();

  function scopeOf({ view }: ReaderLife): Scope {
    const grant = view.world.grants.get(PRINCIPAL);
    return grant === undefined ? NOTHING : new Set(grant.value.workspaces);
  }

  function sent(server: ReaderLife, { message }: Sent<PublishedRecord>): void {
    const scope = scopeOf(server);
    const records = message.kind === 'snapshot' ? message.pages.flat() : message.kind === 'delta' ? message.upserts : [];
    for (const { record } of records) {
      court.looked('no record to a stream without the grant');
      if (!inScope(scope, record.workspace))
        court.broken(
          'no record to a stream without the grant',
          `${server.process.name} sends ${record.host} of ${record.workspace}`,
        );
    }
    coverage['messages of discovery'] += 1;
    if (message.kind === 'delta') coverage['deltas of discovery'] += 1;
    if (!brings(message)) return;
    const shown: CatalogRecord[] = [];
    for (const { record, shown: isShown } of server.view.catalog.listingsOf(scope)) if (isShown) shown.push(record);
    wanted.set(message, textOf(shown));
  }

  return {
    opened: (_consumer, _follower, server) => (way, moment, message) => {
      if (way === 'down' && moment === 'sent' && server !== undefined) sent(server, message as Sent<PublishedRecord>);
    },
    taken({ process, follower }, { message }) {
      const want = wanted.get(message);
      if (want === undefined) return;
      court.looked('what was told adds up to what is shown');
      const held = textOf(follower.records(ALL_HELD));
      if (held !== want)
        court.broken(
          'what was told adds up to what is shown',
          `${process.name} holds ${held || 'nothing'} after ${message.kind}; its server showed ${want || 'nothing'}`,
        );
    },
  };
}

/** Whether its reader then has all that its server shows. */
function brings(message: WatchMessage<PublishedRecord>): boolean {
  if (message.kind === 'snapshot') return message.token !== undefined;
  if (message.kind === 'delta') return message.to !== undefined;
  return message.kind === 'heartbeat';
}

function textOf(records: Iterable<CatalogRecord>): string {
  const lines: string[] = [];
  for (const { recordId, host, endpoint, ownerEpoch, configRevision, renewedBy } of records)
    lines.push(`${recordId} ${host} ${endpoint.address} ${endpoint.podUid} e${ownerEpoch} r${configRevision} ${renewedBy}`);
  return lines.sort().join(' | ');
}
