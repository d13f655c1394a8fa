import { createRandom, type Random } from '../random.ts';
import { chunkOf, field, NO_BODY, type RequestDraft, writeRequest } from '../requests/draft.ts';
import { byteMutations } from '../requests/mutate-bytes.ts';
import { chunkMutations } from '../requests/mutate-chunks.ts';
import { fieldMutations } from '../requests/mutate-fields.ts';
import { framingMutations } from '../requests/mutate-framing.ts';
import type { Mutation } from '../requests/mutation.ts';

/** What an application sends in answer to a good request, and how it ends then. */
export interface ResponseCase {
  readonly kind: 'response';
  readonly seed: number;
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly version: 'HTTP/1.1' | 'HTTP/1.0';
  readonly bytes: string;
  readonly cuts: readonly number[];
  /** `keep`: it would go on; if its answer is not whole it ends all the same, or the client would wait for ever. */
  readonly ending: 'keep' | 'end' | 'reset';
  readonly mutations: readonly string[];
}

/** The status line stands in a request's draft: version, blank, status, blank, phrase. So what mutates fields and bodies serves both. */
const statusMutations: Readonly<Record<string, Mutation>> = {
  'status-version': (draft, random) => {
    draft.method = random.pick([
      'HTTP/1.0',
      'HTTP/1.0',
      'HTTP/1.2',
      'HTTP/2',
      'HTTP/2.0',
      'HTTP/0.9',
      'http/1.1',
      'HTTP/1.10',
      'ICY',
      '',
      'HTTP',
      'HTTP/1.1\t',
      ' HTTP/1.1',
    ]);
  },
  status: (draft, random) => {
    draft.target = random.pick([
      '204',
      '304',
      '206',
      '404',
      '500',
      '999',
      '100',
      '101',
      '102',
      '103',
      '199',
      '099',
      '1000',
      '20',
      '2OO',
      '',
      '-200',
      '200 ',
      '+20',
      '600',
      '426',
    ]);
  },
  switch: (draft, random) => {
    draft.target = '101';
    draft.fields = [field('Upgrade', random.pick(['websocket', 'websocket', 'h2c'])), field('Connection', 'Upgrade')];
    if (random.chance(0.5)) draft.fields.push(field('Sec-WebSocket-Accept', 's3pPLMBiTxaQ9kYGzzhZRbK+xOo='));
  },
  phrase: (draft, random) => {
    draft.version = random.pick([
      '',
      'Very Fine',
      'caf\xe9',
      'a\tb',
      'a\x00b',
      'a\rb',
      'a\nb',
      'OK ',
      '\x7f',
      'HTTP/1.1 200 OK',
      '200',
      'a'.repeat(3_000),
    ]);
    if (random.chance(0.2)) draft.secondBlank = random.pick(['', '  ', '\t']);
  },
  'before-status': (draft, random) => {
    draft.before = random.pick([
      '\r\n',
      '\n',
      ' ',
      'x',
      '\x00',
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
      'HTTP/1.1 100\r\nContent-Length: 3\r\n\r\n',
      'HTTP/1.1 102 P\r\n\r\n'.repeat(random.pick([2, 32, 33])),
    ]);
  },
  'second-answer': (draft, random) => {
    draft.body.end += random.pick([
      'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond',
      'x',
      '\r\n',
      'HTTP/1.1 100 Continue\r\n\r\n',
    ]);
    if (draft.body.kind === 'length') draft.body.data += 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond';
  },
  'status-line-end': (draft, random) => {
    draft.eol = random.pick(['\n', '\r', '\r\r\n', '', '\r\n ', ' \r\n', '\r\n\r\n']);
  },
};

const { 'body-of-get': _get, 'coding-in-1.0': _old, ...framing } = framingMutations;
const GROUPS: readonly Readonly<Record<string, Mutation>>[] = [statusMutations, framing, chunkMutations, fieldMutations];

const STREAM = 3;

export function makeResponseCase(seed: number): ResponseCase {
  const random = createRandom(seed, STREAM);
  const draft = goodAnswer(random);
  const mutations: string[] = [];
  const count = random.pick([0, 1, 1, 1, 1, 2, 2, 3]);
  for (let i = 0; i < count; i++) {
    const [name, mutation] = random.pick(Object.entries(random.pick(GROUPS)));
    mutation(draft, random, '');
    mutations.push(name);
  }
  let bytes = writeRequest(draft);
  if (random.chance(0.15)) {
    const [name, mutation] = random.pick(Object.entries(byteMutations));
    bytes = mutation(bytes, random);
    mutations.push(name);
  }
  return {
    kind: 'response',
    seed,
    method: random.pick(['GET', 'GET', 'GET', 'HEAD', 'POST']),
    version: random.chance(0.12) ? 'HTTP/1.0' : 'HTTP/1.1',
    bytes,
    cuts: bytes.length < 2 || random.chance(0.6) ? [] : cut(bytes.length, random),
    ending: random.pick(['keep', 'keep', 'end', 'end', 'reset']),
    mutations,
  };
}

function cut(length: number, random: Random): number[] {
  const cuts = new Set(Array.from({ length: random.between(1, 4) }, () => random.between(1, length - 1)));
  return [...cuts].sort((a, b) => a - b);
}

const FIELDS: readonly (readonly [string, string])[] = [
  ['Content-Type', 'text/html'],
  ['Server', 'app'],
  ['Set-Cookie', 'a=1; Path=/'],
  ['ETag', '"x"'],
  ['Connection', 'keep-alive'],
  ['Connection', 'close'],
  ['Vary', 'Accept'],
  ['Trailer', 'X-Sum'],
];
const TEXTS = [
  'hello',
  '<html></html>',
  '\r\n\r\n',
  '0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  '\x00\xff',
  'x'.repeat(2_000),
];

function goodAnswer(random: Random): RequestDraft {
  const data = random.pick(TEXTS) + random.pick(TEXTS);
  const kind = random.pick(['length', 'length', 'chunked', 'chunked', 'until-close']);
  const chunks = [chunkOf(data.slice(0, 4)), chunkOf(data.slice(4))];
  const body = { ...NO_BODY(), kind: kind === 'chunked' ? ('chunked' as const) : ('length' as const), data, chunks };
  const framed = {
    length: [field('Content-Length', String(data.length))],
    chunked: [field('Transfer-Encoding', 'chunked')],
    'until-close': [],
  };
  const others = Array.from({ length: random.below(4) }, () => field(...random.pick(FIELDS)));
  return {
    before: '',
    method: 'HTTP/1.1',
    blank: ' ',
    target: random.pick(['200', '200', '200', '404', '201']),
    secondBlank: ' ',
    version: 'OK',
    eol: '\r\n',
    fields: [...others, ...framed[kind]],
    end: '\r\n',
    body,
  };
}
