import { createRandom, type Random } from '../random.ts';
import { type RequestDraft, writeRequest } from './draft.ts';
import { byteMutations } from './mutate-bytes.ts';
import { chunkMutations } from './mutate-chunks.ts';
import { fieldMutations } from './mutate-fields.ts';
import { firstLineMutations } from './mutate-first-line.ts';
import { framingMutations } from './mutate-framing.ts';
import { hostMutations } from './mutate-host.ts';
import type { Mutation } from './mutation.ts';
import { validRequest } from './valid.ts';

/** What is sent on one connection. */
export interface Case {
  readonly kind: 'valid' | 'mutated';
  readonly seed: number;
  /** latin1 */
  readonly bytes: string;
  /** Where `bytes` is cut into segments; ascending, may be empty. */
  readonly cuts: readonly number[];
  /** Valid requests before the one that counts. */
  readonly before: number;
  readonly mutations: readonly string[];
}

/** Behind every case: whoever lost count of the bytes shows it here. */
const behind = (host: string): string => `GET /behind HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

/** For those who can be told in no other way that nothing more comes. */
export const last = (host: string): string => `GET /last HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

const GROUPS: readonly Readonly<Record<string, Mutation>>[] = [
  firstLineMutations,
  hostMutations,
  framingMutations,
  chunkMutations,
  // Twice: most of what it does is legal, and what reaches the application is compared more deeply.
  fieldMutations,
  fieldMutations,
];

const STREAM = { valid: 1, mutated: 2 };

export function makeCase(kind: Case['kind'], seed: number, host: string): Case {
  const random = createRandom(seed, STREAM[kind]);
  const mutations: string[] = [];
  const before = random.chance(0.25) ? 1 : 0;
  let bytes = before === 1 ? writeRequest(validRequest(random, host)) : '';
  const draft = validRequest(random, host);
  bytes += kind === 'valid' ? writeRequest(draft) : mutate(draft, random, host, mutations);
  bytes += behind(host);
  return { kind, seed, bytes, cuts: cut(bytes, random), before, mutations };
}

function mutate(draft: RequestDraft, random: Random, host: string, names: string[]): string {
  const count = random.pick([1, 1, 1, 1, 1, 1, 2, 2, 3]);
  let blind = 0;
  for (let i = 0; i < count; i++) {
    if (random.chance(0.12)) blind++;
    else {
      const [name, mutation] = random.pick(Object.entries(random.pick(GROUPS)));
      mutation(draft, random, host);
      names.push(name);
    }
  }
  let text = writeRequest(draft);
  for (; blind > 0; blind--) {
    const [name, mutation] = random.pick(Object.entries(byteMutations));
    if (text !== '') text = mutation(text, random);
    names.push(name);
  }
  return text;
}

const SINGLE_BYTES_MAX = 250;

function cut(bytes: string, random: Random): number[] {
  const how = random.below(10);
  if (how < 6) return [];
  if (how === 9 && bytes.length <= SINGLE_BYTES_MAX) return Array.from({ length: bytes.length - 1 }, (_, i) => i + 1);
  const cuts = new Set(Array.from({ length: random.between(1, 5) }, () => random.between(1, bytes.length - 1)));
  return [...cuts].sort((a, b) => a - b);
}

export function segmentsOf({ bytes, cuts }: Pick<Case, 'bytes' | 'cuts'>): string[] {
  return [0, ...cuts].map((from, i) => bytes.slice(from, cuts[i] ?? bytes.length));
}
