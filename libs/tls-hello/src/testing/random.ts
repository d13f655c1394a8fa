/** Everything that is left to chance, from one seed: the same seed is the same hello on every machine. */
export interface Random {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  chance(part: number): boolean;
  pick<T>(list: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // splitmix32
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
  const below = (limit: number): number => Math.floor((next() / 0x1_0000_0000) * limit);
  return {
    below,
    chance: (part) => next() < part * 0x1_0000_0000,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
  };
}
