import { describe, expect, test } from 'vitest';
import { readDuration, readHost, readSandboxName, readScope, readServiceAndPort } from './names.ts';
import { formatJson, formatTable, noneOf } from './table.ts';

describe('a service and its port', () => {
  const good: [text: string, option: string | undefined, want: object][] = [
    ['team/demo/web=3000', undefined, { ref: { workspace: 'team', sandbox: 'demo', service: 'web' }, port: 3000 }],
    ['team/demo=1', undefined, { ref: { workspace: 'team', sandbox: 'demo', service: '' }, port: 1 }],
    ['team/demo/web', '65535', { ref: { service: 'web' }, port: 65_535 }],
  ];
  test.each(good)('%s --port %s', (text, option, want) =>
    expect(readServiceAndPort(text, option)).toMatchObject({ ok: true, value: want }),
  );

  const bad: [text: string, option: string | undefined, why: RegExp][] = [
    ['team/demo/web', undefined, /port is missing: write team\/demo\/web=3000/],
    ['team/demo/web=80', '80', /given twice/],
    ['team/demo/web=', undefined, /"" is not a port/],
    ['team/demo/web=0', undefined, /"0" is not a port/],
    ['team/demo/web=65536', undefined, /not a port/],
    ['team/demo/web=http', undefined, /not a port/],
    ['team/demo/web=1=2', undefined, /too many "="/],
    ['web=3000', undefined, /not workspace\/sandbox/],
    ['team/De/web=1', undefined, /lower-case/],
    ['team/demo/a--b=1', undefined, /"--"/],
    ['team/demo/web/x=1', undefined, /not workspace\/sandbox/],
  ];
  test.each(bad)('refused: %s --port %s', (text, option, why) =>
    expect(readServiceAndPort(text, option)).toMatchObject({
      ok: false,
      error: { exitCode: 64, text: expect.stringMatching(why) },
    }),
  );
});

describe('a sandbox', () => {
  test('is workspace/sandbox', () =>
    expect(readSandboxName('team/demo')).toEqual({ ok: true, value: { workspace: 'team', sandbox: 'demo' } }));
  test.each(['team', 'team/demo/web', 'team/demo/', '', '/'])('and not %j', (text) =>
    expect(readSandboxName(text)).toMatchObject({ ok: false }),
  );
});

describe('a scope', () => {
  const rows: [text: string, want: object | undefined][] = [
    ['', { workspace: '', sandbox: '' }],
    ['team', { workspace: 'team', sandbox: '' }],
    ['team/demo', { workspace: 'team', sandbox: 'demo' }],
    ['Team', undefined],
    ['team/demo/web', undefined],
  ];
  test.each(rows)('%j', (text, want) =>
    expect(readScope(text)).toMatchObject(want === undefined ? { ok: false } : { ok: true, value: want }),
  );
});

describe('a duration', () => {
  test.each([
    ['500ms', 500],
    ['10s', 10_000],
    ['2m', 120_000],
  ])('%s', (text, want) => expect(readDuration('wait', text)).toEqual({ ok: true, value: want }));
  test.each(['10', '', '-1s', '1h', '1.5s', '9999999s'])('and not %j', (text) =>
    expect(readDuration('wait', text)).toMatchObject({ ok: false }),
  );
});

describe('a host', () => {
  test.each([
    ['team--demo--web.apps.test', 'team--demo--web.apps.test'],
    ['https://Team--demo.apps.test:8443/a/b', 'team--demo.apps.test'],
    ['team--demo.apps.test:8443', 'team--demo.apps.test'],
    ['team--demo.apps.test/a/B', 'team--demo.apps.test'],
  ])('%s', (text, want) => expect(readHost(text)).toEqual({ ok: true, value: want }));
  test.each(['team/demo/web', 'team/demo'])('and not the name of a service, %s', (text) =>
    expect(readHost(text)).toMatchObject({
      ok: false,
      error: { exitCode: 64, text: expect.stringContaining(`its host is in: sallyport service get ${text}`) },
    }),
  );
  test.each(['', 'a b', 'https://'])('and not %j', (text) => expect(readHost(text)).toMatchObject({ ok: false }));
});

describe('an empty list', () => {
  const rows: [asked: string[], want: string][] = [
    [[], 'no services; declare one'],
    [['nosuch'], 'no services of nosuch, or you may not see them; without that name all are listed'],
  ];
  test.each(rows)('of %j', (asked, want) => expect(noneOf('services', asked, '; declare one')).toBe(want));
});

describe('a table', () => {
  test('is aligned, without spaces at the ends, and shows what is empty', () => {
    expect(
      formatTable(
        ['NAME', 'N'],
        [
          ['a', '1'],
          ['long-name', ''],
        ],
      ),
    ).toBe('NAME       N\na          1\nlong-name  -');
  });
  test('sends nobody a terminal command', () => expect(formatTable(['A'], [['\u001b]0;x\u0007\n']])).toBe('A\n ]0;x'));
});

test('JSON keeps 64-bit numbers as text', () => expect(formatJson({ a: 2n ** 63n })).toBe('{\n  "a": "9223372036854775808"\n}'));
