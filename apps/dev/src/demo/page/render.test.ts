import { createHash } from 'node:crypto';
import { runInNewContext, Script } from 'node:vm';
import { expect, test } from 'vitest';
import type { SeenRequest } from '../seen-request.ts';
import { createPage, renderPage } from './render.ts';
import { script } from './script/index.ts';

const page = createPage({ service: 'team/demo/web', cli: 'sallyport', port: 4321 });
const remembered = { pid: 4711, startedAt: '2026-01-01T00:00:00.000Z', upMs: 5, count: 3 };
const seen: SeenRequest = { line: 'GET / HTTP/1.1', host: 'a.apps.localhost:8443', fields: [], cameThroughDoor: true };
const html = (request: Partial<SeenRequest> = {}): string => renderPage(page, remembered, { ...seen, ...request });

const digest = (source: string): string => `'sha256-${createHash('sha256').update(source).digest('base64')}'`;
const between = (text: string, from: string, to: string): string => text.split(from)[1]?.split(to)[0] ?? '';

test('the policy lets exactly the script and style of this page run', () => {
  const policy = page.headers['content-security-policy'];
  expect(policy).toContain(`script-src ${digest(between(html(), '<script type="module">', '</script>'))};`);
  expect(policy).toContain(`style-src ${digest(between(html(), '<style>', '</style>'))};`);
  // A style attribute or an inline handler would be refused by it.
  expect(html()).not.toMatch(/\s(style|on[a-z]+)="/);
});

test('nothing is loaded from anywhere', () => {
  expect(html()).not.toMatch(/(src|href)="(?!data:|#)/);
  expect(html()).not.toMatch(/@import|url\(/);
});

test('what was typed by a stranger stays text', () => {
  const hostile = '"><script>alert(1)</script>';
  const written = html({ host: hostile, line: hostile, fields: [{ name: 'X', value: hostile, setAtDoor: false }] });
  expect(written).not.toContain('<script>alert');
  expect(written).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
});

test('all that is known stands in the first bytes', () => {
  expect(html()).toContain('for="add">3</output>');
  expect(html()).toContain('<dd id="pid">4711</dd>');
  expect(html()).toContain('service expose team/demo/web=4321');
  expect(html()).toContain('explain a.apps.localhost<');
});

test('says when somebody came past the door', () => {
  expect(html()).toContain('data-door="open"');
  expect(html({ cameThroughDoor: false })).toContain('data-door="direct"');
});

test('each control has a name, and each id is there once', () => {
  const ids = [...html().matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
  expect(ids).toEqual([...new Set(ids)]);
  const referred = [...html().matchAll(/\s(?:for|aria-labelledby|data-copies)="([^"]+)"/g)].map(([, id]) => id);
  expect(referred.filter((id) => !ids.includes(id))).toEqual([]);
  const inScript = [...script.matchAll(/(?:find|setText|setState)\('([^']+)'/g)].map(([, id]) => id);
  expect(inScript.filter((id) => !ids.includes(id))).toEqual([]);
});

/** The script runs in browsers only; here its syntax and what of it is pure. */
const inPage = (expression: string): unknown => {
  const pure = script.slice(script.indexOf('const two'), script.indexOf('/* The newest is below'));
  return runInNewContext(`${pure}; ${expression}`);
};

test('the script is well-formed', () => {
  expect(() => new Script(`async () => { ${script} }`)).not.toThrow();
});

const amounts: [bytes: number, want: string][] = [
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [32_000_000, '32 MB'],
  [999_600, '1.0 MB'],
  [4_294_967_296, '4.3 GB'],
];
test.each(amounts)('%i bytes are shown as %s', (bytes, want) => expect(inPage(`amount(${bytes})`)).toBe(want));

const spans: [ms: number, want: string][] = [
  [900, '0 s'],
  [59_999, '59 s'],
  [61_000, '1 min 01 s'],
  [3_660_000, '1 h 01 min'],
];
test.each(spans)('%i ms are shown as %s', (ms, want) => expect(inPage(`span(${ms})`)).toBe(want));
