import { type Instant, LONG_AGO } from '@sallyport/model';

/** How many writes there may be, and whose they are. Times in milliseconds. */
export interface TurnLimits {
  /** At once, in all. */
  readonly burst: number;
  /** At once, of one namespace. */
  readonly burstOfOne: number;
  /** How often one more, in all, and of one namespace before others have theirs. */
  readonly refillMs: number;
  /** That wait for their turn, in all. */
  readonly waitingMax: number;
}

export type Asked = 'now' | 'later' | 'left-out';

/**
 * Whose turn it is to write: a namespace full of mistakes must neither become a flood of writes nor keep others from theirs. What
 * waits is heard one namespace after the other; where all places are taken, the namespace with the most gives one up.
 */
export interface Turns<T> {
  /** `left-out`: it is not remembered, since its namespace has the most that waits. */
  ask(namespace: string, key: string, what: T, now: Instant): Asked;
  forget(key: string): void;
  /** The next one, if there may be one more now. Undefined: none may, or none waits. */
  next(now: Instant): T | undefined;
  readonly waiting: number;
}

interface Bucket {
  readonly tokens: number;
  readonly filledAt: Instant;
}

/** Namespaces whose last writes are remembered; what is forgotten was longest ago. */
const NAMESPACES_MAX = 1_024;

export function createTurns<T>({ burst, burstOfOne, refillMs, waitingMax }: TurnLimits): Turns<T> {
  let all: Bucket = { tokens: burst, filledAt: LONG_AGO };
  const own = new Map<string, Bucket>();
  /** In the order in which namespaces have their turn. */
  const queues = new Map<string, Map<string, T>>();
  const namespaceOf = new Map<string, string>();

  const filled = ({ tokens, filledAt }: Bucket, most: number, now: Instant): Bucket => ({
    tokens: Math.min(most, tokens + (now - filledAt) / refillMs),
    filledAt: now,
  });
  const spent = ({ tokens, filledAt }: Bucket): Bucket => ({ tokens: tokens - 1, filledAt });

  function take(namespace: string, now: Instant): boolean {
    all = filled(all, burst, now);
    const bucket = filled(own.get(namespace) ?? { tokens: burstOfOne, filledAt: now }, burstOfOne, now);
    if (all.tokens < 1 || bucket.tokens < 1) return false;
    all = spent(all);
    own.delete(namespace);
    own.set(namespace, spent(bucket));
    if (own.size > NAMESPACES_MAX) own.delete(own.keys().next().value as string);
    return true;
  }

  function forget(key: string): void {
    const namespace = namespaceOf.get(key);
    if (namespace === undefined) return;
    namespaceOf.delete(key);
    const queue = queues.get(namespace);
    queue?.delete(key);
    if (queue?.size === 0) queues.delete(namespace);
  }

  function wait(namespace: string, key: string, what: T): Asked {
    if (namespaceOf.size >= waitingMax) {
      const [fullest, queue] = [...queues].reduce((most, each) => (each[1].size > most[1].size ? each : most));
      if (fullest === namespace || queue.size <= (queues.get(namespace)?.size ?? 0) + 1) return 'left-out';
      forget([...queue.keys()].at(-1) as string);
    }
    queues.set(namespace, (queues.get(namespace) ?? new Map<string, T>()).set(key, what));
    namespaceOf.set(key, namespace);
    return 'later';
  }

  return {
    ask(namespace, key, what, now) {
      if (namespaceOf.get(key) === namespace) {
        // It keeps its place: one that changes all the time is heard as well.
        queues.get(namespace)?.set(key, what);
        return 'later';
      }
      forget(key);
      // Who comes now does not overtake those of its own namespace.
      if (!queues.has(namespace) && take(namespace, now)) return 'now';
      return wait(namespace, key, what);
    },
    forget,
    next(now) {
      for (const [namespace, queue] of queues) {
        const [first] = queue;
        if (first === undefined || !take(namespace, now)) continue;
        forget(first[0]);
        const rest = queues.get(namespace);
        if (rest !== undefined) {
          queues.delete(namespace);
          queues.set(namespace, rest);
        }
        return first[1];
      }
      return undefined;
    },
    get waiting() {
      return namespaceOf.size;
    },
  };
}
