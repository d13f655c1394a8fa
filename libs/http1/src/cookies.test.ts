import { expect, test } from 'vitest';
import { isolateCookie } from './cookies.ts';

const HOST = 'web--box--team.apps.test';
const rows: [value: string, want: string][] = [
  ['a=1', 'a=1'],
  ['a=1; Path=/; Secure; HttpOnly', 'a=1; Path=/; Secure; HttpOnly'],
  ['domain=1; Path=/domain', 'domain=1; Path=/domain'],
  [`a=1; Domain=${HOST}`, `a=1; Domain=${HOST}`],
  [`a=1; Domain=.${HOST.toUpperCase()}; Secure`, `a=1; Domain=.${HOST.toUpperCase()}; Secure`],
  ['a=1; Domain=apps.test; Secure', 'a=1; Secure'],
  ['a=1; Domain=.apps.test', 'a=1'],
  ['a=1; DOMAIN = apps.test ; Secure', 'a=1; Secure'],
  ['a=1;\tdomain=test', 'a=1'],
  ['a=1; Domain=apps.test.', 'a=1'],
  ['a=1; Domain="apps.test"', 'a=1'],
  ['a=1; Domain=other.example', 'a=1'],
  ['a=1; Domain=..apps.test', 'a=1'],
  [`a=1; Domain=${HOST}; Domain=apps.test`, `a=1; Domain=${HOST}`],
  ['a=1; Domain', 'a=1'],
  ['a=1; Domain=', 'a=1'],
  ['a=1; Domain=a=b', 'a=1'],
];
test.each(rows)('%s', (value, want) => expect(isolateCookie(value, HOST)).toBe(want));
