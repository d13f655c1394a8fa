import { type Instant, later, NEVER } from '@sallyport/model';

/**
 * Who makes the next part of a snapshot. A snapshot of a large installation takes tens of milliseconds of the one thread that
 * serves all readers; of hundreds that begin at once, each would have its own seconds later. So a few parts are made in each
 * turn of the event loop: of the snapshots that were begun first, among those whose readers have room for a part; and of new
 * ones when there are not enough of these, from each principal in turn. A reader that takes its parts slowly holds nobody up,
 * and what else streams have to say goes out between two turns.
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
export const SNAPSHOT_WAIT_MAX_MS = 300;
/** About a millisecond: a turn costs as much as a part, and what else is to be done waits no longer than for one of them. */
export const PARTS_PER_TURN = 8;

interface Place {
  readonly principal: string;
  readonly called: () => void;
  state: 'away' | 'new' | 'under-way' | 'called';
  since: Instant | undefined;
  /** In which order the snapshots were begun. */
  order: number | undefined;
}

/** @param nextTurn calls once what had come before it was seen to: a turn of the event loop */
export function createSnapshotLine(nextTurn: (act: () => void) => void, partsPerTurn = PARTS_PER_TURN): SnapshotLine {
  /** By principal; whose turn is next comes first. */
  const fresh = new Map<string, Set<Place>>();
  const underWay = new Set<Place>();
  let waitingCount = 0;
  let begun = 0;
  let isCalling = false;

  function stand(place: Place): void {
    place.state = place.order === undefined ? 'new' : 'under-way';
    if (place.state === 'under-way') underWay.add(place);
    else {
      waitingCount += 1;
      fresh.set(place.principal, (fresh.get(place.principal) ?? new Set()).add(place));
    }
    call();
  }

  function stepOut(place: Place): void {
    if (place.state === 'under-way') underWay.delete(place);
    if (place.state === 'new') {
      waitingCount -= 1;
      const neighbours = fresh.get(place.principal);
      neighbours?.delete(place);
      if (neighbours?.size === 0) fresh.delete(place.principal);
    }
    place.state = 'away';
  }

  function call(): void {
    if (isCalling || underWay.size + fresh.size === 0) return;
    isCalling = true;
    nextTurn(() => {
      isCalling = false;
      for (let count = 0; count < partsPerTurn; count += 1) {
        const next = oldest() ?? nextFresh();
        if (next === undefined) break;
        stepOut(next);
        next.order ??= begun++;
        next.state = 'called';
        next.called();
      }
      call();
    });
  }

  function oldest(): Place | undefined {
    let first: Place | undefined;
    for (const place of underWay) if (first === undefined || (place.order ?? 0) < (first.order ?? 0)) first = place;
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
      const place: Place = { principal, called, state: 'away', since: undefined, order: undefined };
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
          place.since = undefined;
          place.order = undefined;
        },
      };
    },
    get waitingCount() {
      return waitingCount;
    },
  };
}
