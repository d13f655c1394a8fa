import { describe, expect, test } from 'vitest';
import { parseProxyHeader } from './proxy-protocol.ts';

const SIGNATURE = '0d0a0d0a000d0a515549540a';
const header = (command: string, family: string, body: string): Buffer => {
  const length = (body.length / 2).toString(16).padStart(4, '0');
  return Buffer.from(SIGNATURE + command + family + length + body, 'hex');
};
const V4 = 'cb0071090a000001d43101bb';
const V6 = `20010db8000000000000000000000009${'fd'.padEnd(32, '0')}d43101bb`;

describe('a header', () => {
  const rows: [title: string, bytes: Buffer, want: object][] = [
    ['states an IPv4 source', header('21', '11', V4), { kind: 'header', length: 28, source: '203.0.113.9' }],
    ['states an IPv6 source', header('21', '21', V6), { kind: 'header', length: 52, source: '2001:db8::9' }],
    [
      'states an IPv4 source inside IPv6',
      header('21', '21', `00000000000000000000ffffcb007109${V6.slice(32)}`),
      { kind: 'header', length: 52, source: '203.0.113.9' },
    ],
    [
      'takes its type-length-values along',
      header('21', '11', `${V4}01000268320400020000`),
      { kind: 'header', length: 38, source: '203.0.113.9' },
    ],
    ['is a health check of the balancer', header('20', '00', ''), { kind: 'header', length: 16 }],
    ['is LOCAL, whatever addresses it has', header('20', '11', V4), { kind: 'header', length: 28 }],
    ['of an unknown family states nothing', header('21', '00', ''), { kind: 'header', length: 16 }],
    [
      'ends where it says, before the ClientHello',
      Buffer.concat([header('21', '11', V4), Buffer.from('160301', 'hex')]),
      { kind: 'header', length: 28, source: '203.0.113.9' },
    ],
    ['is refused with another version', header('11', '11', V4), { kind: 'bad' }],
    ['is refused with an unknown command', header('22', '11', V4), { kind: 'bad' }],
    ['is refused for UDP', header('21', '12', V4), { kind: 'bad' }],
    ['is refused for a Unix socket', header('21', '31', '00'.repeat(216)), { kind: 'bad' }],
    ['is refused with addresses cut short', header('21', '11', V4.slice(2)), { kind: 'bad' }],
    ['is refused with IPv6 addresses cut short', header('21', '21', V4), { kind: 'bad' }],
    ['is refused beyond 2,048 bytes, unread', Buffer.from(`${SIGNATURE}21110801`, 'hex'), { kind: 'bad' }],
    ['of 2,048 bytes is waited for', Buffer.from(`${SIGNATURE}21110800`, 'hex'), { kind: 'more' }],
    ['is not a ClientHello', Buffer.from('1603010200', 'hex'), { kind: 'none' }],
    ['is not version 1', Buffer.from('PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n'), { kind: 'none' }],
    ['is not an empty line', Buffer.from('\r\n\r\nGET'), { kind: 'none' }],
  ];
  test.each(rows)('%s', (_title, bytes, want) => expect(parseProxyHeader(bytes)).toMatchObject(want));

  test('may come byte by byte', () => {
    const whole = header('21', '11', V4);
    for (let length = 0; length < whole.length; length += 1)
      expect(parseProxyHeader(whole.subarray(0, length)).kind).toBe('more');
    expect(parseProxyHeader(whole).kind).toBe('header');
  });
});
