import type { Random } from '../random.ts';

/** A machine's name on the network: `g0`, `m1`, `store`. It outlives the processes that run there. */
export type Place = string;

/** What the wires between the machines do. Each direction is its own: a partition may be one-way. */
export interface Network {
  /** How long the next message takes, milliseconds. */
  latencyMs(from: Place, to: Place): number;
  isBlocked(from: Place, to: Place): boolean;
  block(from: Place, to: Place): void;
  unblock(from: Place, to: Place): void;
  /** Messages in this direction take up to so long from now on (just so long where all is calm); 0 is normal. */
  slow(from: Place, to: Place, maxMs: number): void;
  /** How likely a unary request arrives twice. */
  repeats: number;
  /** All is well again. */
  heal(): void;
}

/** Within one data centre. */
const LATENCY_MS = { min: 0.2, max: 4 };
/** A packet was lost and sent again. */
const RETRANSMIT = { probability: 0.01, minMs: 200, maxMs: 900 };

export interface NetworkOptions {
  readonly random: Random;
  /** Nothing is lost and all takes 1 ms: for transcripts that people read. */
  readonly calm: boolean;
}

export function createNetwork({ random, calm }: NetworkOptions): Network {
  const blocked = new Set<string>();
  const slow = new Map<string, number>();
  const way = (from: Place, to: Place): string => `${from}>${to}`;
  return {
    repeats: 0,
    latencyMs(from, to) {
      const slowMs = slow.size === 0 ? 0 : (slow.get(way(from, to)) ?? 0);
      if (calm) return 1 + slowMs;
      const again = random.chance(RETRANSMIT.probability) ? random.between(RETRANSMIT.minMs, RETRANSMIT.maxMs) : 0;
      return random.between(LATENCY_MS.min, LATENCY_MS.max) + again + (slowMs === 0 ? 0 : random.between(0, slowMs));
    },
    isBlocked: (from, to) => blocked.size > 0 && blocked.has(way(from, to)),
    block: (from, to) => void blocked.add(way(from, to)),
    unblock: (from, to) => void blocked.delete(way(from, to)),
    slow(from, to, maxMs) {
      if (maxMs === 0) slow.delete(way(from, to));
      else slow.set(way(from, to), maxMs);
    },
    heal() {
      blocked.clear();
      slow.clear();
    },
  };
}
