import { createWorld, type RecordChange, type World } from '@sallyport/authority';
import { createEvidence, type Evidence, isHeard } from '@sallyport/catalog';
import { type Instant, later } from '@sallyport/model';
import type { Clock, Log } from '@sallyport/process';
import { followStore, ROOT, type Store } from '@sallyport/store';
import { decodeEvent } from '@sallyport/view';
import { startEcho } from './echo.ts';

/** The store as discovery sees it: the records, and how fresh each one's evidence is. */
export interface CatalogView {
  readonly world: World;
  readonly evidence: Evidence;
  /** Why nothing may be shown yet; undefined when it may. Once complete it stays so: what goes stale runs out by itself. */
  notReady(): string | undefined;
  /** For health: whether the store is connected. */
  connected(): boolean;
  close(): Promise<void>;
}

export interface CatalogViewOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly randomId: () => string;
}

/** By then every gateway that lives has renewed twice; who has not been heard of has nothing to show. */
const HEARD_WITHIN_MS = 10_000;
const PRUNE_EVERY_MS = 1_000;

export function followCatalog({ store, clock, log, randomId }: CatalogViewOptions): CatalogView {
  const world = createWorld();
  const evidence = createEvidence();
  const discoveryId = randomId();
  const cache = followStore({
    store,
    clock,
    prefix: ROOT,
    onRelist: (why) => log.warn({ why }, 'listing the store anew'),
  });
  const echo = startEcho({ store, clock, discoveryId, randomId });
  let firstEchoAt: Instant | undefined;
  let complete = false;

  cache.onChange((events, revision, how) => {
    const changes: RecordChange[] = [];
    for (const event of events) {
      const decoded = decodeEvent(event);
      if (decoded === undefined) continue;
      if (decoded.problem !== undefined) log.error({ problem: decoded.problem }, 'a record cannot be read: it counts as absent');
      changes.push(decoded.change);
    }
    world.apply(changes, revision);
    for (const change of changes) note(change, how);
  });

  /** In the order of the store: an echo is noted before the renewals that were sent after it. */
  function note(change: RecordChange, how: 'watched' | 'listed'): void {
    const { key, held } = change;
    if (held === undefined) return;
    if (key.kind === 'reader' && key.discoveryId === discoveryId) {
      const sentAt = echo.sentAt(held.value as number);
      if (sentAt === undefined) return;
      evidence.echoed(held.modRevision, sentAt);
      firstEchoAt ??= clock.now();
    }
    // What was merely listed may be as old as can be.
    if (how === 'listed') return;
    if (key.kind === 'renewal') evidence.renewed(key.gatewayId, held.value as Parameters<Evidence['renewed']>[1]);
    if (key.kind === 'installation') evidence.published(held.value as Parameters<Evidence['published']>[0]);
  }

  const cancel = clock.every(PRUNE_EVERY_MS, () => evidence.prune(clock.now()));

  return {
    world,
    evidence,
    notReady() {
      if (complete) return undefined;
      if (!cache.complete) return 'the store has not been read yet';
      if (firstEchoAt === undefined) return 'the store has not answered a write of this replica yet';
      complete = isHeard(world, evidence) || clock.now() >= later(firstEchoAt, HEARD_WITHIN_MS);
      return complete ? undefined : 'not every gateway has been heard of yet';
    },
    connected: () => cache.connected,
    async close() {
      cancel();
      await echo.close();
      cache.close();
    },
  };
}
