import { formatServiceRef } from '@sallyport/model';
import { expect, test } from 'vitest';
import { findTwice, parseServiceOption } from './service-option.ts';

const forms: readonly [title: string, text: string, ref: string, port: number, host: string][] = [
  ['a name and a port', 'web=3000', 'team/demo/web', 3000, 'public'],
  ['workspace, sandbox and service', 'team/mybox/web=3000', 'team/mybox/web', 3000, 'public'],
  ['no service part', 'team/mybox=3000', 'team/mybox', 3000, 'public'],
  ['with the loopback address', 'team/mybox/web=127.0.0.1:3000', 'team/mybox/web', 3000, 'public'],
  ['with localhost', 'web=localhost:3000', 'team/demo/web', 3000, 'public'],
  ['with the IPv6 loopback address', 'web=[::1]:3000', 'team/demo/web', 3000, 'public'],
  ['the highest port', 'web=65535', 'team/demo/web', 65_535, 'public'],
  ['with a host policy', 'web=5173,host=loopback', 'team/demo/web', 5173, 'loopback'],
  ['with a fixed Host', 'web=5173,host=app.internal', 'team/demo/web', 5173, 'value'],
];

test.each(forms)('takes %s', (_title, text, ref, port, host) => {
  const parsed = parseServiceOption(text);
  expect(
    parsed.ok && { ref: formatServiceRef(parsed.value.ref), port: parsed.value.port, host: parsed.value.policy.host.kind },
  ).toEqual({
    ref,
    port,
    host,
  });
});

const refusals: readonly [title: string, text: string, says: RegExp][] = [
  ['nothing at all', '', /names no port/],
  ['a name without a port', 'web', /names no port/],
  ['a port without a name', '=3000', /names no port/],
  ['port 0', 'web=0', /port "0" is not between 1 and 65535/],
  ['a port out of range', 'web=65536', /not between 1 and 65535/],
  ['a port that is no number', 'web=http', /port "http"/],
  ['an empty port', 'web=', /port ""/],
  ['a name with two hyphens in a row', 'team/my--box/web=3000', /contains "--"/],
  ['capitals', 'team/MyBox/web=3000', /only lower-case letters/],
  ['an empty part', 'team//web=3000', /it is empty/],
  ['four parts', 'a/b/c/d=3000', /not workspace\/sandbox/],
  ['an empty service part', 'team/box/=3000', /it is empty/],
  ['another machine', 'web=10.0.0.1:3000', /only this machine's loopback/],
  ['a host name', 'web=example.com:80', /only this machine's loopback/],
  ['an unknown option', 'web=3000,colour=red', /none of host=/],
  ['an origin policy that does not exist', 'web=3000,origin=any', /none of host=/],
  ['a label that is too long', `${'a'.repeat(64)}/b/c=3000`, /longer than 63/],
];

test.each(refusals)('refuses %s, and says how to write it', (_title, text, says) => {
  const parsed = parseServiceOption(text);
  expect(parsed.ok).toBe(false);
  expect(!parsed.ok && parsed.error).toMatch(says);
  expect(!parsed.ok && parsed.error).not.toContain('\n');
});

test('a service given twice is found', () => {
  const [a, b] = ['web=3000', 'team/demo/web=3001'].map((text) => parseServiceOption(text));
  if (!a?.ok || !b?.ok) throw new Error('both parse');
  expect(findTwice([a.value, b.value])).toBe('team/demo/web');
  expect(findTwice([a.value])).toBeUndefined();
});
