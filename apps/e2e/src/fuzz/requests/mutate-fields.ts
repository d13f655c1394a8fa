import { type FieldDraft, field } from './draft.ts';
import type { Mutation } from './mutation.ts';

const VALUES = [
  ...[
    '',
    ' ',
    'a',
    'a b',
    'a\tb',
    '\ta',
    '"quoted, text"',
    '\xff\xfe',
    'caf\xc3\xa9',
    '\xa0',
    'a\x00b',
    'a\x01b',
    'a\x0bb',
    'a\x0cb',
    'a\x7fb',
    'a\x1b[0m',
  ],
  ...[
    'a\rb',
    'a\nb',
    'a\r\n b',
    'a\r\n\tb',
    'a\r\n \r\n b',
    'a\r\nb',
    'a\r\n\r\nb',
    'a\r\r\nb',
    ':',
    '::',
    'a:b',
    '(comment)',
    '\\',
    '%0d%0a',
    '=?utf-8?',
    '\x80',
  ],
];
const NAMES = [
  ...[
    'x',
    'X-A',
    "x!#$%&'*+-.^_`|~9",
    'X_A',
    'X A',
    'X\tA',
    ' X',
    'X ',
    '',
    'X(',
    'X\x00',
    'X\x80',
    'X/',
    '"X"',
    'X\r',
    'X\n',
    'X@',
    'X=1',
    '\xefX',
    'X,Y',
    '\x00',
  ],
  ...[
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'Forwarded',
    'X-Real-IP',
    'sallyport-error',
    'X_Forwarded_For',
    'Keep-Alive',
    'Proxy-Connection',
    'Proxy',
    'Via',
  ],
];
const ENDS = ['\n', '\r', '\r\r\n', '\n\r', '', ' \r\n', '\r\n ', '\r\n\t', '\r\n\r\n', '\x00\r\n', '\r\n\x0b', '\n\n'];
const COLONS = [':', ':\t', ':  \t ', ' :', '\t: ', '', '::', ' ', '=', ':\x0b', ':\x0c', ':\xa0', ':\r\n '];
const CONNECTIONS = [
  ...[
    'close',
    'Close',
    'CLOSE',
    'keep-alive',
    'Keep-Alive',
    'close, keep-alive',
    'keep-alive, close',
    'x-a',
    'x-a, close',
    ',',
    ', close',
    'close,',
    'notclose',
    'close;a',
    '"close"',
  ],
  ...[
    'upgrade',
    'TE',
    'X-Many',
    'Cookie',
    'keep-alive, upgrade',
    'close\t',
    'close\x0b',
    'clo\xf3e',
    'keep-alive keep-alive',
    'close close',
    'closed',
    'HTTP2-Settings',
  ],
];
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';

const insert = (fields: FieldDraft[], at: number, ...more: FieldDraft[]): void => void fields.splice(at, 0, ...more);

export const fieldMutations: Readonly<Record<string, Mutation>> = {
  'fields-legal': (draft, random) => {
    for (let i = random.between(1, 4); i > 0; i--) {
      const name = random.pick(['X-A', 'x-b', "X!#$%&'*+-.^_`|~C", 'Cookie', 'Set-Cookie', 'Origin', 'Max-Forwards', 'X_D']);
      insert(
        draft.fields,
        random.below(draft.fields.length + 1),
        field(name, random.pick(['', 'a', 'a\tb', '\xe9\xff', 'a,b;c="d"', ':'])),
      );
    }
  },
  'field-value': (draft, random) => {
    insert(draft.fields, random.below(draft.fields.length + 1), field('X-Value', random.pick(VALUES)));
  },
  'field-name': (draft, random) => {
    insert(draft.fields, random.below(draft.fields.length + 1), field(random.pick(NAMES), 'a'));
  },
  'field-end': (draft, random) => {
    if (draft.fields.length > 0) random.pick(draft.fields).eol = random.pick(ENDS);
  },
  'field-colon': (draft, random) => {
    if (draft.fields.length > 0) random.pick(draft.fields).colon = random.pick(COLONS);
  },
  'field-case': (draft, random) => {
    for (const each of draft.fields) each.name = random.chance(0.5) ? each.name.toUpperCase() : each.name.toLowerCase();
  },
  'field-blanks': (draft, random) => {
    for (const each of draft.fields) {
      each.colon = random.pick([':', ': ', ':\t', ':  ']);
      each.value += random.pick(['', ' ', '\t', ' \t ']);
    }
  },
  'fields-shuffled': (draft, random) => {
    draft.fields.sort(() => random.below(3) - 1);
  },
  'field-repeated': (draft, random) => {
    if (draft.fields.length > 0) insert(draft.fields, random.below(draft.fields.length + 1), { ...random.pick(draft.fields) });
  },
  'fields-many': (draft, random) => {
    const count = random.pick([20, 60, 100, 126, 127, 128, 129, 200]) - (random.chance(0.5) ? draft.fields.length : 0);
    for (let i = 0; i < count; i++) draft.fields.push(field(`X-${i}`, 'v'));
  },
  'field-long': (draft, random) => {
    draft.fields.push(field('X-Long', 'v'.repeat(random.pick([2_000, 4_096, 7_900, 16_000, 31_900, 32_700, 33_000]))));
  },
  'head-end': (draft, random) => {
    draft.end = random.pick(['\n', '\r', '', '\r\r\n', '\n\n', ' \r\n', '\r\n\r\n', '\n\r\n', '\x00\r\n', '\r\n\n']);
  },
  connection: (draft, random) => {
    insert(draft.fields, random.below(draft.fields.length + 1), field('Connection', random.pick(CONNECTIONS)));
    if (random.chance(0.15)) draft.version = 'HTTP/1.0';
  },
  upgrade: (draft, random) => {
    const upgrade = random.pick(['websocket', 'websocket', 'WebSocket', 'h2c', 'websocket, h2c', 'TLS/1.0', '', 'websocket/13']);
    draft.fields.push(
      field('Upgrade', upgrade),
      field('Connection', random.pick(['Upgrade', 'upgrade', 'keep-alive, Upgrade', 'close'])),
    );
    if (random.chance(0.8)) draft.fields.push(field('Sec-WebSocket-Key', random.pick([KEY, KEY, KEY, 'short', ''])));
    if (random.chance(0.8)) draft.fields.push(field('Sec-WebSocket-Version', random.pick(['13', '13', '8', ''])));
  },
  expect: (draft, random) => {
    draft.fields.push(
      field('Expect', random.pick(['100-continue', '100-continue', '100-Continue', '100', 'x', '', '100-continue, x'])),
    );
  },
};
