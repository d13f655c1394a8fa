import { describe, expect, test } from 'vitest';
import { ALERTS, alertRecord } from './alert.ts';
import { createHelloReader } from './hello-reader.ts';
import { HELLO_BYTES_MAX, type HelloReading } from './reading.ts';
import {
  ascii,
  extension,
  grease,
  hello,
  keyShares,
  nameEntry,
  padding,
  records,
  serverName,
  serverNames,
  u16,
  versions,
} from './testing/build-hello.ts';

const NAME = 'a.apps.test';
const text = (reading: HelloReading): string =>
  reading.kind === 'hello' ? reading.serverName : reading.kind === 'refused' ? `! ${reading.reason}` : reading.kind;
const read = (bytes: Uint8Array): string => text(createHelloReader().push(bytes));
/** Several pieces; what is said after the last. */
function readIn(bytes: Uint8Array, size: number): string {
  const reader = createHelloReader();
  let last = 'more';
  for (let from = 0; from < bytes.length; from += size) last = text(reader.push(bytes.subarray(from, from + size)));
  return last;
}

const with_ = (...extensions: number[][]): Uint8Array => records(hello({ extensions }));
const name = serverName(NAME);

const rows: [title: string, bytes: Uint8Array, want: string][] = [
  ['a plain one', with_(name), NAME],
  ['behind others', with_(versions, extension(16, [0, 3, 2, 104, 50]), name), NAME],
  [
    'with GREASE in front, behind and among the suites',
    records(hello({ suites: [0x0a, 0x0a, 0x13, 0x01], extensions: [grease(), name, grease(0xfafa)] })),
    NAME,
  ],
  ['padded', with_(name, padding(700)), NAME],
  ['with post-quantum key shares', with_(name, keyShares(), versions), NAME],
  ['without a session id', records(hello({ sessionId: [] })), NAME],
  ['of TLS 1.0 in version 3.0 records', records(hello({ version: [3, 1] }), 16_384, [3, 0]), NAME],
  ['as sent: upper case and a trailing dot stay', with_(serverName('A.Apps.TEST.')), 'A.Apps.TEST.'],
  ['a name of 255 bytes', with_(serverName('a'.repeat(255))), 'a'.repeat(255)],
  ['more than one message in the record: the rest is not ours', records([...hello(), 1, 0, 0, 9]), NAME],
  ['bytes behind the record', Uint8Array.from([...with_(name), 0x17, 3, 3, 0, 1]), NAME],
  ['just within the limit', with_(name, padding(HELLO_BYTES_MAX - 5 - hello({ extensions: [name, padding(0)] }).length)), NAME],

  ['nothing yet', new Uint8Array(0), 'more'],
  ['a record header', Uint8Array.of(22, 3, 1), 'more'],
  ['all but the last byte', with_(name).subarray(0, -1), 'more'],

  ['plain HTTP', Uint8Array.from(ascii('GET / HTTP/1.1\r\n')), '! not-tls'],
  ['a PROXY header', Uint8Array.from(ascii('\r\n\r\n')), '! not-tls'],
  ['SSLv2', Uint8Array.of(0x80, 0x2e, 1, 3, 1), '! not-tls'],
  ['an alert first', Uint8Array.of(21, 3, 1, 0, 2, 2, 40), '! not-tls'],
  ['a record of version 2', records(hello(), 16_384, [2, 1]), '! not-tls'],
  ['an empty record', Uint8Array.of(22, 3, 1, 0, 0), '! malformed'],
  ['a record that is longer than there are', Uint8Array.of(22, 3, 1, 0x40, 1), '! malformed'],
  ['a record of another kind in between', Uint8Array.from([...records(hello().slice(0, 60)), 23, 3, 3, 0, 1, 0]), '! malformed'],
  ['a ServerHello', records(hello({ messageType: 2 })), '! malformed'],
  ['an empty hello', records([1, 0, 0, 0]), '! malformed'],
  ['version 2 in the hello', records(hello({ version: [2, 3] })), '! malformed'],
  ['a session id of 33 bytes', records(hello({ sessionId: new Array(33).fill(0) })), '! malformed'],
  ['no cipher suites', records(hello({ suites: [] })), '! malformed'],
  ['half a cipher suite', records(hello({ suites: [0x13, 1, 2] })), '! malformed'],
  ['no compression methods', records(hello({ methods: [] })), '! malformed'],
  [
    'extensions that are cut',
    records(patched(hello({ extensions: [name] }), -name.length - 2, u16(name.length + 1))),
    '! malformed',
  ],
  [
    'extensions with something behind',
    records(patched(hello({ extensions: [name, [0]] }), -name.length - 3, u16(name.length))),
    '! malformed',
  ],
  ['an extension that is longer than the rest', with_(name, extension(21, [0], 2)), '! malformed'],
  ['three bytes of an extension', with_(name, [0, 21, 0]), '! malformed'],
  ['two server name extensions', with_(name, serverName('b.apps.test')), '! malformed'],
  ['the same server name extension twice', with_(name, name), '! malformed'],
  ['two names', with_(serverNames([nameEntry(NAME), nameEntry('b.apps.test')])), '! malformed'],
  ['a name of another type', with_(serverNames([nameEntry(NAME, 1)])), '! malformed'],
  ['another type before the name', with_(serverNames([nameEntry('x', 7), nameEntry(NAME)])), '! malformed'],
  ['an empty list', with_(serverNames([])), '! malformed'],
  ['an empty extension, as servers answer', with_(extension(0, [])), '! malformed'],
  ['an empty name', with_(serverName('')), '! malformed'],
  ['a name that is longer than its list', with_(serverNames([nameEntry(NAME, 0, NAME.length + 1)])), '! malformed'],
  ['a name that is shorter than its list', with_(serverNames([nameEntry(NAME, 0, NAME.length - 1)])), '! malformed'],
  ['a list that is longer than its extension', with_(serverNames([nameEntry(NAME)], 99)), '! malformed'],
  ['a list that is shorter than its extension', with_(serverNames([nameEntry(NAME)], NAME.length)), '! malformed'],
  ['a name with a zero byte', with_(serverName('a.apps.test\0.evil')), '! server-name-bad'],
  ['a name with a slash', with_(serverName('a.apps.test/x')), '! server-name-bad'],
  ['a name beyond ASCII', with_(serverName('\xfc.apps.test')), '! server-name-bad'],
  ['a name of 256 bytes', with_(serverName('a'.repeat(256))), '! server-name-bad'],
  ['no server name', with_(versions), '! no-server-name'],
  ['no extensions at all', records(hello({ extensions: undefined })), '! no-server-name'],
  ['an empty list of extensions', with_(), '! no-server-name'],
  [
    'one that says it is a byte too long',
    with_(name, padding(HELLO_BYTES_MAX - 4 - hello({ extensions: [name, padding(0)] }).length)),
    '! too-large',
  ],
  ['one of 16 MiB, by its first bytes', Uint8Array.of(22, 3, 1, 0x40, 0, 1, 0xff, 0xff, 0xff), '! too-large'],
];

function patched(message: number[], at: number, bytes: readonly number[]): number[] {
  const copy = [...message];
  const from = at < 0 ? copy.length + at : at;
  copy.splice(from, bytes.length, ...bytes);
  return copy;
}

describe('a ClientHello', () => {
  test.each(rows)('%s', (_title, bytes, want) => expect(read(bytes)).toBe(want));
  test.each(rows.filter(([, bytes]) => bytes.length > 0))('%s, byte by byte', (_title, bytes, want) => {
    expect(readIn(bytes, 1)).toBe(want);
  });
});

test.each([1, 2, 3, 4, 5, 64, 500])('in records of %i bytes, in segments of every size', (bytesPerRecord) => {
  const bytes = records(hello({ extensions: [grease(), name, versions] }), bytesPerRecord);
  for (const size of [1, 2, 3, 5, 6, 7, 100, bytes.length]) expect(readIn(bytes, size), `segments of ${size}`).toBe(NAME);
});

test('looks at nothing behind its limit, however many records it takes', () => {
  const small = hello({ extensions: [name, padding(3_000)] });
  const bytes = records(small, 1);
  expect(bytes.length).toBeGreaterThan(HELLO_BYTES_MAX);
  const looked = new Set<number>();
  const watched = new Proxy(bytes, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) looked.add(Number(key));
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
  expect(text(createHelloReader().push(watched))).toBe('! too-large');
  expect(Math.max(...looked)).toBeLessThan(HELLO_BYTES_MAX);
});

test('says the same again, whatever comes', () => {
  const reader = createHelloReader();
  expect(text(reader.push(with_(versions)))).toBe('! no-server-name');
  expect(text(reader.push(with_(name)))).toBe('! no-server-name');
});

test.each(Object.entries(ALERTS))('the alert %s is one fatal record', (alert, description) => {
  expect([...alertRecord(alert as keyof typeof ALERTS)]).toEqual([21, 3, 3, 0, 2, 2, description]);
});
