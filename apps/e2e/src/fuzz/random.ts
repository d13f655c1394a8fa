/** Everything that is left to chance, from one seed: the same seed is the same case on every machine. */
export interface Random {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  between(from: number, to: number): number;
  chance(part: number): boolean;
  pick<const List extends readonly unknown[]>(list: List): List[number];
}

export function createRandom(seed: number, stream: number): Random {
  let state = mix(mix(seed >>> 0) ^ stream);

  // splitmix32
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    return mix(state);
  };
  const random: Random = {
    below: (limit) => Math.floor((next() / 0x1_0000_0000) * limit),
    between: (from, to) => from + random.below(to - from + 1),
    chance: (part) => next() < part * 0x1_0000_0000,
    pick<const List extends readonly unknown[]>(list: List): List[number] {
      if (list.length === 0) throw new Error('nothing to pick from');
      return list[random.below(list.length)];
    },
  };
  return random;
}

function mix(seed: number): number {
  let z = seed;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return (z ^ (z >>> 15)) >>> 0;
}
