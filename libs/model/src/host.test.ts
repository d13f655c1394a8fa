import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Host, hostOf, isHashed, isUnderDomain, normaliseHost, parseDomain } from './host.ts';
import { HOST_LENGTH_MAX, parseServiceRef, type ServiceRef } from './names.ts';

const ref = (text: string): ServiceRef => {
  const parsed = parseServiceRef(text);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const host = (name: string): Host => hostOf(ref(name), 'apps.test', sha256);

describe('the host of a service', () => {
  test('is its names, joined, under the domain', () => expect(host('team/demo/web')).toBe('team--demo--web.apps.test'));
  test('of the unnamed service is the sandbox’s', () => expect(host('team/demo')).toBe('team--demo.apps.test'));

  const long = 'w'.repeat(63);
  const rows: [title: string, name: string, label: RegExp][] = [
    ['of 63 characters is readable', `team/demo/${'w'.repeat(63 - 12)}`, /^team--demo--w{51}$/],
    ['of more is the beginning of its names and a digest', `team/demo/${'w'.repeat(64 - 12)}`, /^team-demo-w{20}-[0-9a-f]{32}$/],
    ['of the longest names', `${long}/${long}/${long}`, /^w{30}-[0-9a-f]{32}$/],
    ['of two names', `${long}/demo`, /^w{30}-[0-9a-f]{32}$/],
    ['whose names are cut at a hyphen', `${'w'.repeat(29)}/${long}`, /^w{29}-[0-9a-f]{32}$/],
  ];
  test.each(rows)('%s', (_title, name, label) => {
    const [first = '', ...rest] = host(name).split('.');
    expect([first, rest.join('.')]).toEqual([expect.stringMatching(label), 'apps.test']);
    expect([first.length <= 63, first.includes('--'), isHashed(host(name))]).toEqual([
      true,
      !label.source.includes('[0-9a-f]'),
      label.source.includes('[0-9a-f]'),
    ]);
  });
  test('is the same for ever: one that was written down', () =>
    expect(host(`team/demo/${'w'.repeat(60)}`)).toBe(
      'team-demo-wwwwwwwwwwwwwwwwwwww-b05235e0eacb2cafc0f2463a0f601896.apps.test',
    ));

  test('belongs to no other service: the separator is in no name', () => {
    const short = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,3}[a-z0-9])?$/).filter((text) => !text.includes('--'));
    const name = fc.oneof(
      short,
      fc.tuple(short, fc.integer({ min: 1, max: 55 })).map(([text, count]) => `${text}${'x'.repeat(count)}`),
    );
    const refs = fc.tuple(name, name, fc.option(name)).map((parts) => parts.filter((part) => part !== null).join('/'));
    fc.assert(
      fc.property(refs, refs, (a, b) => {
        expect(host(a) === host(b)).toBe(a === b);
        expect(isUnderDomain(host(a), 'apps.test')).toBe(true);
        expect(normaliseHost(host(a))).toBe(host(a));
      }),
    );
  });
});

test.each([
  ['lower case', 'A.Apps.TEST', 'a.apps.test'],
  ['one trailing dot goes', 'a.apps.test.', 'a.apps.test'],
  ['only one', 'a.apps.test..', 'a.apps.test.'],
  ['nothing stays nothing', '', ''],
])('one form for a host: %s', (_title, text, want) => expect(normaliseHost(text)).toBe(want));

describe('a domain that hosts can be made under', () => {
  const rows: [text: string, want: string | RegExp][] = [
    ['apps.test', 'apps.test'],
    ['Apps.Test.', 'apps.test'],
    ['localhost', 'localhost'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['', /it is empty/],
    ['.', /it is empty/],
    ['apps..test', /it is empty/],
    ['.apps.test', /it is empty/],
    ['*.apps.test', /lower-case/],
    ['apps_test', /lower-case/],
    ['-apps.test', /inner hyphens/],
    [`${'a.'.repeat(95)}test`, /too long/],
    [`${'a'.repeat(64)}.test`, /longer than 63/],
    ['apps.test:8443', /lower-case/],
  ];
  test.each(rows)('%j', (text, want) => {
    const parsed = parseDomain(text);
    if (typeof want === 'string') expect(parsed).toEqual({ ok: true, value: want });
    else expect(parsed).toMatchObject({ ok: false, error: expect.stringMatching(want) });
  });
  test('leaves room for the longest label', () => {
    const domain = parseDomain(`${'a.'.repeat(94)}a`);
    if (!domain.ok) throw new Error(domain.error);
    expect(`${'w'.repeat(63)}.${domain.value}`.length).toBeLessThanOrEqual(HOST_LENGTH_MAX);
  });
});

describe('a host is under a domain', () => {
  const rows: [host: string, want: boolean][] = [
    ['team--demo.apps.test', true],
    ['a.apps.test', true],
    ['apps.test', false],
    ['.apps.test', false],
    ['a.b.apps.test', false],
    ['evilapps.test', false],
    ['a.apps.test.', false],
    ['A.apps.test', false],
    ['-a.apps.test', false],
    ['a-.apps.test', false],
    ['*.apps.test', false],
    [`${'a'.repeat(64)}.apps.test`, false],
    ['a.apps.test.evil.example', false],
  ];
  test.each(rows)('%s: %s', (host, want) => expect(isUnderDomain(host, 'apps.test')).toBe(want));
});
