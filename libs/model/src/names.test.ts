import { describe, expect, test } from 'vitest';
import { formatServiceRef, LABEL_LENGTH_MAX, nameProblem, parseServiceName, parseServiceRef, parseWorkspaceId } from './names.ts';

const longest = 'a'.repeat(LABEL_LENGTH_MAX);

describe('a name is one DNS label without "--"', () => {
  const rows: [title: string, text: string, want: 'taken' | RegExp][] = [
    ['letters', 'demo', 'taken'],
    ['letters, digits, inner hyphens', 'a1-b2-3', 'taken'],
    ['a digit first', '9lives', 'taken'],
    ['one character', 'a', 'taken'],
    ['63 characters', longest, 'taken'],
    ['nothing', '', /empty/],
    ['64 characters', `${longest}a`, /longer than 63/],
    ['the separator: two names would share a host', 'a--b', /separates/],
    ['upper case', 'Demo', /lower-case/],
    ['a hyphen first', '-a', /inner hyphens/],
    ['a hyphen last', 'a-', /inner hyphens/],
    ['a dot', 'a.b', /lower-case/],
    ['an underscore', 'a_b', /lower-case/],
    ['a slash: names are parts of store keys', 'a/b', /lower-case/],
    ['a letter beyond ASCII', 'dömo', /lower-case/],
    ['a line end behind a good name', 'demo\n', /lower-case/],
  ];
  test.each(rows)('%s', (_title, text, want) => {
    const problem = nameProblem(text);
    if (want === 'taken') expect(problem).toBeUndefined();
    else expect(problem).toMatch(want);
  });

  test('its problem names what was given, cut short and quoted', () => {
    const parsed = parseWorkspaceId(`"\n${'x'.repeat(500)}`);
    if (parsed.ok) throw new Error('taken');
    expect(parsed.error).toMatch(/^workspace "\\"\\nx+": it is longer/);
    expect(parsed.error.length).toBeLessThan(200);
  });
  test('only a service may have none', () => {
    expect(parseServiceName('')).toEqual({ ok: true, value: '' });
    expect(parseWorkspaceId('').ok).toBe(false);
  });
});

test('a workspace may not make host names that browsers take for others', () => {
  expect(parseWorkspaceId('xn')).toEqual({ ok: false, error: 'workspace "xn": host names that begin with "xn--" are reserved' });
  expect(parseWorkspaceId('xna').ok).toBe(true);
});

describe('a service is named by workspace/sandbox[/service]', () => {
  const rows: [text: string, want: string | undefined][] = [
    ['team/demo/web', 'team/demo/web'],
    ['team/demo', 'team/demo'],
    ['team', undefined],
    ['', undefined],
    ['/', undefined],
    ['team/', undefined],
    ['/demo', undefined],
    ['team/demo/', undefined],
    ['team/demo/web/x', undefined],
    ['team/de--mo/web', undefined],
    ['team/demo/we--b', undefined],
    ['te--am/demo', undefined],
    [' team/demo', undefined],
  ];
  test.each(rows)('%j', (text, want) => {
    const parsed = parseServiceRef(text);
    expect(parsed.ok ? formatServiceRef(parsed.value) : undefined).toBe(want);
  });
});
