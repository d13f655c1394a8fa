import type { Move, ResyncReason } from '@sallyport/catalog';
import type { Clock, Metrics } from '@sallyport/process';
import type { Admission } from './admission.ts';
import type { CatalogView } from './catalog-view.ts';
import type { SnapshotLine } from './snapshot-line.ts';

/** What operators watch of a discovery replica. */
export interface DiscoveryMetrics {
  resynced(reason: ResyncReason): void;
  /** A stream's backlog is part of the sum until the returned function is called. */
  follows(backlogBytes: () => number): () => void;
  close(): void;
}

export interface Observed {
  readonly view: CatalogView;
  readonly admission: Admission;
  readonly line: SnapshotLine;
  readonly clock: Clock;
}

export function createDiscoveryMetrics(metrics: Metrics, { view, admission, line, clock }: Observed): DiscoveryMetrics {
  const tombstones = metrics.counter('sallyport_discovery_tombstones_total', 'Records that were shown no more.', ['reason']);
  const resyncs = metrics.counter('sallyport_discovery_resync_total', 'Streams that had to begin anew.', ['reason']);
  const backlogs = new Set<() => number>();
  const observed = (name: string, help: string, read: () => number) =>
    metrics.observed(`sallyport_discovery_${name}`, help, read);
  const bytes = (): number[] => [...backlogs].map((read) => read());

  observed('records_published', 'Records that are shown now.', () => view.catalog.shownCount);
  observed('streams_open', 'Watches that are open.', () => admission.streamCount);
  observed('snapshots_waiting', 'Streams whose snapshot is still to begin.', () => line.waitingCount);
  observed('stream_buffer_bytes', 'What readers have yet to be told, all streams together.', () =>
    bytes().reduce((sum, each) => sum + each, 0),
  );
  observed('stream_buffer_max_bytes', 'What the slowest reader has yet to be told.', () => Math.max(0, ...bytes()));
  observed('watch_lag_seconds', "How old this replica's view of the store is.", () => view.signs.lagMs(clock.now()) / 1_000);
  observed('history_moves_count', 'Moves that a resumed stream can be told.', () => view.history.size);
  observed('has_authority', 'Whether gateways were heard renewing lately: 1 or 0.', () =>
    view.signs.hasAuthority(clock.now()) ? 1 : 0,
  );

  const unfollow = view.follow({
    moved(moves: readonly Move[]) {
      for (const move of moves) if (move.kind === 'gone') tombstones.add(1, { reason: move.reason });
    },
    renewed: () => undefined,
    granted: () => undefined,
  });
  return {
    resynced: (reason) => resyncs.add(1, { reason }),
    follows(backlogBytes) {
      backlogs.add(backlogBytes);
      return () => void backlogs.delete(backlogBytes);
    },
    close: unfollow,
  };
}
