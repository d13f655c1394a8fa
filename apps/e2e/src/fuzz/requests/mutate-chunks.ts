import type { Random } from '../random.ts';
import { type ChunkDraft, chunkOf, field, NO_BODY, type RequestDraft } from './draft.ts';
import type { Mutation } from './mutation.ts';

const EXTENSIONS = [
  ...[
    ';a',
    ';a=b',
    ';a="b"',
    ';a=b;c=d',
    '; a = b',
    ';',
    ';;',
    ';a="b;c"',
    ';a="\\""',
    ';a="',
    ';a=\x80',
    ';a\tb',
    ';foo bar',
    ';a=1,b',
  ],
  ...[
    ' ;a',
    '\t;a',
    ' ',
    '\t',
    ';a\x00',
    ';a\x01',
    ';a\n',
    ';a\r',
    ';a\rb',
    ';a\nb',
    ';a="\r\n"',
    ';\x7f',
    '\x0b',
    '\x0b;a',
    ',a',
    'a;b',
    ';a\n0\r\n\r\nGET /x HTTP/1.1\r\n',
  ],
];
const ENDS = ['\n', '\r', '\r\r\n', '\n\n', '\n\r', '', ' \r\n', '\r\n\r\n', '\r\nx', '\t\r\n', '\x00\r\n', 'x\r\n', '\r \n'];
const TRAILERS: readonly (readonly [string, string])[] = [
  ['X-Sum', 'abc'],
  ['X-Empty', ''],
  ['Content-Length', '5'],
  ['Transfer-Encoding', 'chunked'],
  ['Host', 'other.test'],
  ['Connection', 'close'],
  ['X Sum', 'a'],
  [' X-Sum', 'a'],
  ['X-Sum ', 'a'],
  ['', 'a'],
  ['X-Sum', 'a\x00b'],
  ['X-Sum', 'a\r\n b'],
  ['X-Sum', 'a\nX: b'],
  ['X-Sum', 'a\rb'],
  ['X-Long', 'a'.repeat(8_000)],
  ['X-Long', 'a'.repeat(9_000)],
  ['GET / HTTP/1.1\r\nHost', 'x'],
];

/** One of its chunks; the draft gets a chunked body if it has none. */
function someChunk(draft: RequestDraft, random: Random): ChunkDraft {
  if (draft.body.kind !== 'chunked') {
    draft.body = { ...NO_BODY(), kind: 'chunked' };
    draft.fields = draft.fields.filter(({ name }) => !/^(content-length|transfer-encoding)$/i.test(name));
    draft.fields.push(field('Transfer-Encoding', 'chunked'));
    if (draft.method === 'GET' || draft.method === 'HEAD') draft.method = 'POST';
  }
  if (draft.body.chunks.length === 0) draft.body.chunks.push(chunkOf('hello'), chunkOf('world!'));
  return random.pick(draft.body.chunks);
}

function sizes({ data }: ChunkDraft): string[] {
  const n = data.length;
  const hex = n.toString(16);
  return [
    ...[
      hex.toUpperCase(),
      `0${hex}`,
      `000${hex}`,
      `${'0'.repeat(15)}${hex}`,
      `${'0'.repeat(16)}${hex}`,
      `0x${hex}`,
      `+${hex}`,
      `-${hex}`,
      ` ${hex}`,
      `${hex} `,
    ],
    ...[
      '',
      ' ',
      `${hex}h`,
      `${hex}g`,
      `${hex}_0`,
      `${hex}.0`,
      `"${hex}"`,
      'g',
      `${hex}\t`,
      `${hex}\x00`,
      `${hex}\x80`,
      `1${'0'.repeat(16)}${hex}`,
    ],
    ...[
      `10000000${hex.padStart(8, '0')}`,
      'ffffffffffffffff',
      'fffffffffffff',
      '8000000000000000',
      `1${hex.padStart(16, '0')}`,
      `1${hex.padStart(8, '0')}`,
    ],
    ...[(n + 1).toString(16), Math.max(0, n - 1).toString(16), (n + 2).toString(16), '0', String(n), `${hex}\r`, `${hex}\n`],
  ];
}

export const chunkMutations: Readonly<Record<string, Mutation>> = {
  'chunk-size': (draft, random) => {
    const chunk = someChunk(draft, random);
    chunk.size = random.pick(sizes(chunk));
  },
  'chunk-extension': (draft, random) => {
    someChunk(draft, random).extension = random.pick(EXTENSIONS);
  },
  'chunk-extension-long': (draft, random) => {
    someChunk(draft, random).extension = `;${'e'.repeat(random.pick([200, 1_023, 1_024, 1_025, 5_000]))}`;
  },
  'chunk-line-end': (draft, random) => {
    someChunk(draft, random).eol = random.pick(ENDS);
  },
  'chunk-data-end': (draft, random) => {
    someChunk(draft, random).dataEol = random.pick(ENDS);
  },
  'last-chunk': (draft, random) => {
    someChunk(draft, random);
    draft.body.last = random.pick([
      '00\r\n',
      '000;a=b\r\n',
      '0;a\r\n',
      '0 \r\n',
      '0\n',
      '0\r',
      '',
      '0',
      '0\r\n0\r\n',
      '-0\r\n',
      '0x0\r\n',
      '\r\n',
      '0;\r\n',
      '0000000000000000\r\n',
      '00000000000000000\r\n',
    ]);
  },
  trailers: (draft, random) => {
    someChunk(draft, random);
    const count = random.chance(0.05) ? random.pick([63, 64, 65, 70]) : random.between(1, 2);
    for (let i = 0; i < count; i++) draft.body.trailers.push(field(...random.pick(count > 2 ? TRAILERS.slice(0, 2) : TRAILERS)));
  },
  'trailers-end': (draft, random) => {
    someChunk(draft, random);
    draft.body.end = random.pick(['\n', '\r', '', '\r\r\n', '\n\n', ' \r\n', 'x\r\n', '\x00\r\n\r\n', '\r\n\r\n']);
  },
  'chunks-split': (draft, random) => {
    const chunk = someChunk(draft, random);
    const at = random.below(chunk.data.length);
    const [first, second] = [chunk.data.slice(0, at), chunk.data.slice(at)];
    if (first !== '' && second !== '' && chunk.size === chunk.data.length.toString(16))
      draft.body.chunks.splice(draft.body.chunks.indexOf(chunk), 1, chunkOf(first), chunkOf(second));
  },
};
