import { type Instant, LONG_AGO, later, NEVER } from '@sallyport/model';
import type { Clock } from '@sallyport/process';

/**
 * Who makes the next part of a snapshot. A snapshot of a large installation takes tens of milliseconds of the one thread that
 * serves all readers; of hundreds that begin at once, each would have its own seconds later. So few are under way at a time,
 * and a few parts are made in each turn of the event loop, the snapshot that was begun first coming first. New ones begin in
 * the turn of their principals. A reader that takes its parts slowly counts as under way no more, and holds nobody up; what
 * else streams have to say goes out between two turns.
 */
export interface SnapshotLine {
  /** `called`: it may be asked again. */
  join(principal: string, called: () => void): Turn;
  /** Snapshots whose first part is still to be made: at most one of each open stream, and none longer than SNAPSHOT_WAIT_MAX_MS. */
  readonly waitingCount: number;
}

export interface Turn {
  /** `go`: one part may be made, now. `late`: it has waited for its first part as long as anybody may. */
  ask(now: Instant): 'go' | 'wait' | 'late';
  /** When it will be late. */
  lateAt(): Instant;
  /** The snapshot is whole, or nobody wants it any more. */
  leave(): void;
}

/** Whoever has waited so long for the first part does better at another replica, or here in a second. */
export const SNAPSHOT_WAIT_MAX_MS = 200;
/** About a millisecond: a turn costs as much as a part, and what else is to be done waits no longer than for one of them. */
export const PARTS_PER_TURN = 8;
/**
 * Snapshots under way whose readers take what they are given. A reader has 64 KiB on the way and then waits for its own process, so
 * there are to be enough of them that somebody always has room; and few enough that those who began are done soon.
 */
export const UNDER_WAY_MAX = 8;
/** A reader that has had no room for so long is slow. */
const TAKES_WITHIN_MS = 10;

interface Place {
  readonly principal: string;
  readonly called: () => void;
  state: 'away' | 'new' | 'ready' | 'called';
  since: Instant | undefined;
  /** In which order the snapshots were begun. */
  order: number | undefined;
  /** When its last part was made. */
  madeAt: Instant;
}

export interface SnapshotLineOptions {
  readonly clock: Pick<Clock, 'now' | 'at'>;
  /** Calls once what had come before it was seen to: a turn of the event loop. */
  readonly nextTurn: (act: () => void) => void;
  /** Other than PARTS_PER_TURN and UNDER_WAY_MAX, for tests. */
  readonly partsPerTurn?: number;
  readonly underWayMax?: number;
}

export function createSnapshotLine(options: SnapshotLineOptions): SnapshotLine {
  const { clock, nextTurn, partsPerTurn = PARTS_PER_TURN, underWayMax = UNDER_WAY_MAX } = options;
  /** By principal; whose turn is next comes first. */
  const fresh = new Map<string, Set<Place>>();
  /** Begun, with room for the next part. */
  const ready = new Set<Place>();
  /** Begun, and not slow. */
  const underWay = new Set<Place>();
  let waitingCount = 0;
  let begun = 0;
  let isTurnDue = false;
  /** All that may be under way are: who of them has become slow is looked at in a while. */
  let cancelLook: (() => void) | undefined;

  function stand(place: Place): void {
    place.state = place.order === undefined ? 'new' : 'ready';
    if (place.state === 'ready') ready.add(place);
    else {
      waitingCount += 1;
      fresh.set(place.principal, (fresh.get(place.principal) ?? new Set()).add(place));
    }
    call();
  }

  function stepOut(place: Place): void {
    if (place.state === 'ready') ready.delete(place);
    if (place.state === 'new') {
      waitingCount -= 1;
      const neighbours = fresh.get(place.principal);
      neighbours?.delete(place);
      if (neighbours?.size === 0) fresh.delete(place.principal);
    }
    place.state = 'away';
  }

  function call(): void {
    if (isTurnDue || ready.size + fresh.size === 0) return;
    if (ready.size > 0 || mayBegin()) {
      cancelLook?.();
      cancelLook = undefined;
      isTurnDue = true;
      nextTurn(callSome);
    } else
      cancelLook ??= clock.at(later(clock.now(), TAKES_WITHIN_MS), () => {
        cancelLook = undefined;
        call();
      });
  }

  function callSome(): void {
    isTurnDue = false;
    for (let count = 0; count < partsPerTurn; count += 1) {
      const next = oldest() ?? (mayBegin() ? nextFresh() : undefined);
      if (next === undefined) break;
      stepOut(next);
      next.order ??= begun++;
      next.state = 'called';
      next.madeAt = clock.now();
      underWay.add(next);
      next.called();
    }
    call();
  }

  function mayBegin(): boolean {
    if (underWay.size < underWayMax) return true;
    const slowSince = later(clock.now(), -TAKES_WITHIN_MS);
    for (const place of underWay) if (place.state === 'away' && place.madeAt <= slowSince) underWay.delete(place);
    return underWay.size < underWayMax;
  }

  function oldest(): Place | undefined {
    let first: Place | undefined;
    for (const place of ready) if (first === undefined || (place.order ?? 0) < (first.order ?? 0)) first = place;
    return first;
  }

  function nextFresh(): Place | undefined {
    for (const [principal, places] of fresh) {
      fresh.delete(principal);
      fresh.set(principal, places);
      for (const place of places) return place;
    }
    return undefined;
  }

  return {
    join(principal, called) {
      const place: Place = { principal, called, state: 'away', since: undefined, order: undefined, madeAt: LONG_AGO };
      const lateAt = (): Instant =>
        place.since === undefined || place.order !== undefined ? NEVER : later(place.since, SNAPSHOT_WAIT_MAX_MS);
      return {
        ask(now) {
          if (place.state === 'away') {
            place.since ??= now;
            stand(place);
          }
          if (place.state !== 'called') return now >= lateAt() ? 'late' : 'wait';
          place.state = 'away';
          return 'go';
        },
        lateAt,
        leave() {
          stepOut(place);
          underWay.delete(place);
          place.since = undefined;
          place.order = undefined;
          call();
        },
      };
    },
    get waitingCount() {
      return waitingCount;
    },
  };
}
