/** Seeded randomness: the same seed draws the same numbers on every machine. */
export interface Random {
  /** From 0 up to 1. */
  float(): number;
  /** From `min` up to `max`, whole, both included. */
  int(min: number, max: number): number;
  /** From `min` up to `max`. */
  between(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** A stream of its own: what one part of the world draws moves nothing in another. */
  fork(name: string): Random;
}

export function createRandom(seed: number, name = ''): Random {
  const draw = sfc32(hash(`${seed}/${name}`));
  const random: Random = {
    float: draw,
    int: (min, max) => min + Math.floor(draw() * (max - min + 1)),
    between: (min, max) => min + draw() * (max - min),
    chance: (probability) => draw() < probability,
    pick: (from) => from[Math.floor(draw() * from.length)] as (typeof from)[number],
    fork: (child) => createRandom(seed, `${name}/${child}`),
  };
  return random;
}

/** Small Fast Counter by Chris Doty-Humphrey, 32 bits: passes PractRand, needs no bigint. */
function sfc32([a, b, c]: readonly [number, number, number]): () => number {
  let [x, y, z, counter] = [a, b, c, 1];
  const next = (): number => {
    const sum = (x + y + counter) | 0;
    counter = (counter + 1) | 0;
    x = y ^ (y >>> 9);
    y = (z + (z << 3)) | 0;
    z = (z << 21) | (z >>> 11);
    z = (z + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  // The first draws still show the seed.
  for (let warmUp = 0; warmUp < 12; warmUp += 1) next();
  return next;
}

/** FNV-1a with three different bases. */
function hash(text: string): [number, number, number] {
  const words: [number, number, number] = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b];
  for (let index = 0; index < text.length; index += 1) {
    for (const word of [0, 1, 2] as const) words[word] = Math.imul(words[word] ^ text.charCodeAt(index), 0x01000193);
  }
  return words;
}
