import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostOf, isUnderDomain, normaliseHost, parseDomain } from './host.ts';
import { HOST_LENGTH_MAX, parseServiceRef, type ServiceRef } from './names.ts';

const ref = (text: string): ServiceRef => {
  const parsed = parseServiceRef(text);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
};

describe('the host of a service', () => {
  test('is its names, joined, under the domain', () =>
    expect(hostOf(ref('team/demo/web'), 'apps.test')).toEqual({ ok: true, value: 'team--demo--web.apps.test' }));
  test('of the unnamed service is the sandbox’s', () =>
    expect(hostOf(ref('team/demo'), 'apps.test')).toEqual({ ok: true, value: 'team--demo.apps.test' }));
  test('may be one label of 63 characters', () => {
    expect(hostOf(ref(`team/demo/${'w'.repeat(63 - 12)}`), 'apps.test').ok).toBe(true);
    const longer = hostOf(ref(`team/demo/${'w'.repeat(64 - 12)}`), 'apps.test');
    expect(longer).toMatchObject({ ok: false, error: expect.stringContaining('64 characters long') });
  });

  test('belongs to no other service: the separator is in no name', () => {
    const name = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,3}[a-z0-9])?$/).filter((text) => !text.includes('--'));
    const refs = fc.tuple(name, name, fc.option(name)).map((parts) => parts.filter((part) => part !== null).join('/'));
    fc.assert(
      fc.property(refs, refs, (a, b) => {
        const [hostA, hostB] = [hostOf(ref(a), 'apps.test'), hostOf(ref(b), 'apps.test')];
        if (!hostA.ok || !hostB.ok) throw new Error('too long');
        expect(hostA.value === hostB.value).toBe(a === b);
        expect(isUnderDomain(hostA.value, 'apps.test')).toBe(true);
        expect(normaliseHost(hostA.value)).toBe(hostA.value);
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
