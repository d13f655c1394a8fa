import { createWorld, type RecordChange, type World } from '@sallyport/authority';
import {
  type Catalog,
  createCatalog,
  createEvidence,
  createHistory,
  type Evidence,
  type History,
  isHeard,
  type Move,
} from '@sallyport/catalog';
import { type Instant, later, type StoreRevision } from '@sallyport/model';
import type { Clock, Log } from '@sallyport/process';
import { followStore, ROOT, type Store, type StoreEvent } from '@sallyport/store';
import { decodeEvent } from '@sallyport/view';
import { startEcho } from './echo.ts';
import { createSigns, type Signs } from './signs.ts';

/** The store as discovery sees it: the records, how fresh each one's evidence is, and what follows for readers. */
export interface CatalogView {
  readonly world: World;
  readonly evidence: Evidence;
  readonly catalog: Catalog;
  /** What was moved, as far back as this replica has been complete. */
  readonly history: History;
  readonly signs: Signs;
  /** Called after what readers see has moved, inside the store's callback: to be noted, not to be acted upon. */
  follow(follower: CatalogFollower): () => void;
  /** Resolves when the view has reached this revision; false when it has not within the time. */
  reached(revision: StoreRevision, withinMs: number): Promise<boolean>;
  /** Why nothing may be shown yet; undefined when it may. Once complete it stays so: what goes stale runs out by itself. */
  notReady(): string | undefined;
  /** For health: whether the store is connected. */
  connected(): boolean;
  close(): Promise<void>;
}

export interface CatalogFollower {
  moved(moves: readonly Move[], now: Instant): void;
  /** Lives have become longer. */
  renewed(): void;
  /** A grant of this principal has changed. */
  granted(principal: string): void;
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
/** How often it is looked at what has run out and what was renewed. */
const LOOK_EVERY_MS = 500;

export function followCatalog({ store, clock, log, randomId }: CatalogViewOptions): CatalogView {
  const world = createWorld();
  const evidence = createEvidence();
  const catalog = createCatalog(world, evidence);
  const signs = createSigns();
  const history = createHistory();
  const followers = new Set<CatalogFollower>();
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
  let waiting: { readonly revision: StoreRevision; readonly resolve: () => void }[] = [];

  cache.onChange((events, revision, how) => {
    // A list is one step from what was there; a watch is followed revision by revision, as the store went.
    if (how === 'listed') {
      step(events, revision, how);
      history.restart(revision);
    } else for (const group of byRevision(events)) step(group.events, group.revision, how);
  });

  function step(events: readonly StoreEvent[], revision: StoreRevision, how: 'watched' | 'listed'): void {
    const changes: RecordChange[] = [];
    for (const event of events) {
      const decoded = decodeEvent(event);
      if (decoded === undefined) continue;
      if (decoded.problem !== undefined) log.error({ problem: decoded.problem }, 'a record cannot be read: it counts as absent');
      changes.push(decoded.change);
    }
    world.apply(changes, revision);
    for (const change of changes) note(change, how);
    const now = clock.now();
    const moves = catalog.changed(changes, now);
    history.note(revision, moves);
    tell(moves, now);
    for (const { key } of changes) if (key.kind === 'grant') for (const each of [...followers]) each.granted(key.principal);
    const reached = waiting.filter((waiter) => waiter.revision <= revision);
    if (reached.length === 0) return;
    waiting = waiting.filter((waiter) => waiter.revision > revision);
    for (const { resolve } of reached) resolve();
  }

  /** In the order of the store: an echo is noted before the renewals that were sent after it. */
  function note(change: RecordChange, how: 'watched' | 'listed'): void {
    const { key, held } = change;
    if (held === undefined) return;
    if (key.kind === 'reader' && key.discoveryId === discoveryId) {
      const sentAt = echo.sentAt(held.value as number);
      if (sentAt === undefined) return;
      evidence.echoed(held.modRevision, sentAt);
      signs.echoed(sentAt);
      firstEchoAt ??= clock.now();
    }
    // What was merely listed may be as old as can be.
    if (how === 'listed') return;
    if (key.kind === 'renewal') {
      evidence.renewed(key.gatewayId, held.value as Parameters<Evidence['renewed']>[1]);
      signs.renewed(clock.now());
    }
    if (key.kind === 'installation') evidence.published(held.value as Parameters<Evidence['published']>[0]);
  }

  function tell(moves: readonly Move[], now: Instant): void {
    if (moves.length > 0) for (const each of [...followers]) each.moved(moves, now);
  }

  function look(): void {
    const now = clock.now();
    const { moves, renewed } = catalog.passed(now);
    tell(moves, now);
    if (renewed) for (const each of [...followers]) each.renewed();
  }

  const cancels = [clock.every(PRUNE_EVERY_MS, () => evidence.prune(clock.now())), clock.every(LOOK_EVERY_MS, look)];

  return {
    world,
    evidence,
    catalog,
    signs,
    history,
    follow(follower) {
      followers.add(follower);
      return () => void followers.delete(follower);
    },
    reached(revision, withinMs) {
      if (world.revision >= revision) return Promise.resolve(true);
      return new Promise((resolve) => {
        const waiter = {
          revision,
          resolve: () => {
            cancel();
            resolve(true);
          },
        };
        const cancel = clock.at(later(clock.now(), withinMs), () => {
          waiting = waiting.filter((each) => each !== waiter);
          resolve(false);
        });
        waiting.push(waiter);
      });
    },
    notReady() {
      if (complete) return undefined;
      if (!cache.complete) return 'the store has not been read yet';
      if (firstEchoAt === undefined) return 'the store has not answered a write of this replica yet';
      complete = isHeard(world, evidence) || clock.now() >= later(firstEchoAt, HEARD_WITHIN_MS);
      if (complete) look();
      return complete ? undefined : 'not every gateway has been heard of yet';
    },
    connected: () => cache.connected,
    async close() {
      for (const cancel of cancels) cancel();
      await echo.close();
      cache.close();
    },
  };
}

/** Events come in order, and those of one revision stand together. */
function byRevision(events: readonly StoreEvent[]): { readonly revision: StoreRevision; readonly events: StoreEvent[] }[] {
  const groups: { readonly revision: StoreRevision; readonly events: StoreEvent[] }[] = [];
  for (const event of events) {
    const revision = event.kind === 'put' ? event.entry.modRevision : event.modRevision;
    const last = groups.at(-1);
    if (last?.revision === revision) last.events.push(event);
    else groups.push({ revision, events: [event] });
  }
  return groups;
}
