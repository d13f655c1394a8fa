/**
 * True time, which no process of the world can see, and everything that is to happen in it. Events run one by one in the
 * order of their instants (of their making among equals), and every promise chain settles between two of them: so one seed
 * is one history.
 */
export interface Schedule {
  /** Milliseconds since the world began. */
  now(): number;
  /** Runs `act` once, `ms` from now. Cheap to cancel: it is skipped when its turn comes. */
  after(ms: number, what: What, act: () => void): Cancel;
  /** Runs everything up to this instant, `checked` after each event. Stops early when that says so. */
  run(until: number, checked: (event: SimEvent) => 'go on' | 'stop'): Promise<void>;
  eventCount(): number;
  /** Of all events so far, with their instants: two histories that are one have the same. */
  digest(): string;
}

export interface SimEvent {
  readonly at: number;
  readonly what: What;
}

/** Of whom, and what: for the transcript. */
export interface What {
  readonly who: string;
  readonly does: string;
}

export type Cancel = () => void;

interface Entry extends SimEvent {
  readonly order: number;
  act: (() => void) | undefined;
}

/** Events between two rounds of Node's own loop. */
const EVENTS_PER_LOOP = 64;

export function createSchedule(): Schedule {
  const heap: Entry[] = [];
  let now = 0;
  let made = 0;
  let done = 0;
  let digest = 0x811c9dc5;

  function add(at: number, what: What, act: () => void): Entry {
    made += 1;
    const entry: Entry = { at, order: made, what, act };
    heap.push(entry);
    rise(heap, heap.length - 1);
    return entry;
  }

  function take(until: number): Entry | undefined {
    for (;;) {
      const first = heap[0];
      if (first === undefined || first.at > until) return undefined;
      const last = heap.pop() as Entry;
      if (last !== first) {
        heap[0] = last;
        sink(heap);
      }
      if (first.act !== undefined) return first;
    }
  }

  return {
    now: () => now,
    after(ms, what, act) {
      const entry = add(now + Math.max(0, ms), what, act);
      return () => {
        entry.act = undefined;
      };
    },
    run(until, checked) {
      return new Promise((resolve, reject) => {
        let sinceLoop = 0;
        function turn(): void {
          try {
            const entry = take(until);
            if (entry === undefined) {
              now = Math.max(now, until);
              return resolve();
            }
            now = entry.at;
            done += 1;
            const { act, what } = entry;
            digest = fold(fold(digest, now * 1_000), what.who.length * 31 + what.does.length);
            entry.act = undefined;
            act?.();
            // Behind all microtasks that there are: a tick that was asked for by the last of them finds none left.
            acted = entry;
            sinceLoop += 1;
            if (sinceLoop < EVENTS_PER_LOOP) return queueMicrotask(settleSoon);
            // What is thrown where nobody waits is only told when the loop goes round; and that costs more than most events.
            sinceLoop = 0;
            setImmediate(settled);
          } catch (error) {
            reject(error as Error);
          }
        }
        let acted: SimEvent | undefined;
        const settleSoon = (): void => process.nextTick(settled);
        function settled(): void {
          try {
            if (acted !== undefined && checked(acted) === 'stop') return resolve();
            turn();
          } catch (error) {
            reject(error as Error);
          }
        }
        setImmediate(turn);
      });
    },
    eventCount: () => done,
    digest: () => (digest >>> 0).toString(16).padStart(8, '0'),
  };
}

/** A step of FNV-1a, on the low 32 bits of a whole number. */
const fold = (digest: number, value: number): number => Math.imul(digest ^ (Math.floor(value) | 0), 0x01000193);

const before = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

function rise(heap: Entry[], from: number): void {
  const entry = heap[from] as Entry;
  let at = from;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above] as Entry;
    if (!before(entry, parent)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = entry;
}

function sink(heap: Entry[]): void {
  const entry = heap[0] as Entry;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const right = left + 1;
    let least = heap[left];
    let below = left;
    if (least === undefined) break;
    const other = heap[right];
    if (other !== undefined && before(other, least)) {
      least = other;
      below = right;
    }
    if (!before(least, entry)) break;
    heap[at] = least;
    at = below;
  }
  heap[at] = entry;
}
