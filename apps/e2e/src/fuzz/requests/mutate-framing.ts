import type { Random } from '../random.ts';
import { chunkOf, field, fieldNamed, NO_BODY, type RequestDraft, writeBody } from './draft.ts';
import type { Mutation } from './mutation.ts';

const CODINGS = [
  ...[
    'chunked',
    'Chunked',
    'CHUNKED',
    'chunked, chunked',
    'gzip, chunked',
    'chunked, gzip',
    'gzip',
    'identity',
    'identity, chunked',
  ],
  ...[
    'chunked, identity',
    'xchunked',
    'chunke',
    'chunked;a=b',
    '"chunked"',
    '',
    ',',
    'chunked,',
    ',chunked',
    ' chunked',
    'chunked \t',
    '\x0bchunked',
  ],
  ...[
    'chunked\x00',
    'chunked\xa0',
    '\xa0chunked',
    'chu\rnked',
    'chunked\r\n x',
    'x\r\n chunked',
    'chunked chunked',
    'trailers',
    'cow',
    'deflate',
    "'chunked'",
  ],
];

function lengths(n: number): string[] {
  return [
    ...[
      `+${n}`,
      `-${n}`,
      `0${n}`,
      `00000000${n}`,
      `${n}, ${n}`,
      `${n},${n + 1}`,
      `${n} `,
      `\t${n}`,
      `${n}.0`,
      `0x${n.toString(16)}`,
      `${n}e0`,
      '',
      ' ',
    ],
    ...[
      `${n} ${n}`,
      `${n};a`,
      `"${n}"`,
      '18446744073709551616',
      '9007199254740993',
      '99999999999999999999',
      `${n}\x00`,
      `${n}\x0b`,
      `${n}_0`,
      '\xb9',
      `${n},`,
    ],
    ...[
      `${n}\r\n `,
      '0',
      '1',
      String(n + 1),
      String(Math.max(0, n - 1)),
      String(n + 7),
      '4294967296',
      '-1',
      'chunked',
      `${n}\xa0`,
      '\xb2',
    ],
  ];
}

const anywhere = (draft: RequestDraft, random: Random, name: string, value: string): void => {
  draft.fields.splice(random.below(draft.fields.length + 1), 0, field(name, value));
};

/** A body to play with, however the draft was. */
function withBody(draft: RequestDraft, kind: 'length' | 'chunked'): void {
  if (draft.body.kind === kind) return;
  const data = draft.body.kind === 'none' ? 'hello' : draft.body.data;
  draft.body = { ...NO_BODY(), kind, data, chunks: [chunkOf(data === '' ? 'hello' : data)] };
  draft.fields = draft.fields.filter(({ name }) => !/^(content-length|transfer-encoding)$/i.test(name));
  draft.fields.push(kind === 'length' ? field('Content-Length', String(data.length)) : field('Transfer-Encoding', 'chunked'));
  if (draft.method === 'GET' || draft.method === 'HEAD') draft.method = 'POST';
}

export const framingMutations: Readonly<Record<string, Mutation>> = {
  'length-value': (draft, random) => {
    withBody(draft, 'length');
    const length = fieldNamed(draft.fields, 'content-length');
    if (length !== undefined) length.value = random.pick(lengths(draft.body.data.length));
  },
  'length-twice': (draft, random) => {
    withBody(draft, 'length');
    const n = draft.body.data.length;
    anywhere(draft, random, random.pick(['Content-Length', 'content-length']), String(random.pick([n, n, n + 1, 0, n + 20])));
  },
  'length-name': (draft, random) => {
    withBody(draft, 'length');
    const length = fieldNamed(draft.fields, 'content-length');
    const names = [
      'content-length',
      'CONTENT-LENGTH',
      'Content-Length ',
      'Content_Length',
      ' Content-Length',
      'Content-Length\x00',
      'Content\xadLength',
    ];
    if (length !== undefined) length.name = random.pick(names);
  },
  'coding-value': (draft, random) => {
    withBody(draft, 'chunked');
    const coding = fieldNamed(draft.fields, 'transfer-encoding');
    if (coding !== undefined) coding.value = random.pick(CODINGS);
  },
  'coding-twice': (draft, random) => {
    withBody(draft, 'chunked');
    anywhere(draft, random, 'Transfer-Encoding', random.pick(['chunked', 'gzip', 'identity', '', 'chunked, chunked']));
  },
  'coding-name': (draft, random) => {
    withBody(draft, 'chunked');
    const coding = fieldNamed(draft.fields, 'transfer-encoding');
    const names = [
      'transfer-encoding',
      'TRANSFER-ENCODING',
      'Transfer-Encoding ',
      'Transfer_Encoding',
      'Transfer-Encoding\t',
      '\x0bTransfer-Encoding',
      'X-Transfer-Encoding',
      'Transfer-Encod\xefng',
    ];
    if (coding !== undefined) coding.name = random.pick(names);
  },
  'both-framings': (draft, random) => {
    withBody(draft, 'chunked');
    const n = writeBody(draft.body).length;
    anywhere(draft, random, 'Content-Length', String(random.pick([n, 0, 3, 5, n - 1])));
  },
  'coding-in-1.0': (draft) => {
    withBody(draft, 'chunked');
    draft.version = 'HTTP/1.0';
  },
  'body-of-get': (draft, random) => {
    withBody(draft, random.pick(['length', 'chunked']));
    draft.method = random.pick(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
  },
  'body-longer': (draft, random) => {
    draft.body.end += random.pick(['x', '\r\n', '\r\n\r\n', 'GET /behind HTTP/1.1\r\n', '0\r\n\r\n', '\n', '\r']);
    if (draft.body.kind === 'length') draft.body.data += random.pick(['x', '\r\n', '\r\n\r\n', '0\r\n\r\n', '\n']);
  },
  'framing-dropped': (draft) => {
    draft.fields = draft.fields.filter(({ name }) => !/^(content-length|transfer-encoding)$/i.test(name));
  },
  'framing-named-away': (draft, random) => {
    anywhere(
      draft,
      random,
      'Connection',
      random.pick(['content-length', 'transfer-encoding', 'host', 'close, content-length', 'keep-alive, Transfer-Encoding']),
    );
  },
};
