import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ScreenModel, ServiceRow } from './model.ts';
import { render } from './render.ts';
import { widthOf } from './text.ts';

const web: ServiceRow = {
  name: 'team/demo/web',
  url: 'https://team--demo--web.apps.localhost:8443/',
  target: '127.0.0.1:3000',
  state: 'serving',
  requestCount: 1_204,
  liveStreamCount: 2,
};
const api: ServiceRow = {
  ...web,
  name: 'team/demo/api',
  url: 'https://team--demo--api.apps.localhost:8443/',
  target: '127.0.0.1:9000',
  state: 'unreachable',
  requestCount: 1,
  liveStreamCount: 0,
  lastError: {
    code: 'app_unreachable',
    reason: 'nothing listens',
    hint: 'Start the application, or name its real port:\nsallyport service expose team/demo/api=PORT',
  },
};
const model: ScreenModel = {
  services: [web, api],
  notes: ['CA: .sallyport/ca.pem'],
  parts: [
    { name: 'gateway', state: 'ready' },
    { name: 'supervisor', state: 'ready' },
  ],
};

const plain = (columns: number, given = model): string[] => render(given, { columns, color: false });

test('120 columns: a service in one line', () => {
  expect(plain(120, { services: [web], notes: [] })).toEqual([
    '  Sallyport',
    '',
    '  ● serving  team/demo/web  https://team--demo--web.apps.localhost:8443/ → 127.0.0.1:3000  1,204 requests · 2 live',
    '',
    '  Ctrl-C ends',
  ]);
});

test('80 columns: two lines each, the counts at the end', () => {
  expect(plain(80)).toEqual([
    `${'  Sallyport'.padEnd(48)}gateway ready · supervisor ready`,
    '',
    '  ● serving      team/demo/web                           1,204 requests · 2 live',
    '    https://team--demo--web.apps.localhost:8443/ → 127.0.0.1:3000',
    '',
    '  × unreachable  team/demo/api                                1 request · 0 live',
    '    https://team--demo--api.apps.localhost:8443/ → 127.0.0.1:9000',
    '    last error: app_unreachable, nothing listens',
    '    Start the application, or name its real port:',
    '    sallyport service expose team/demo/api=PORT',
    '',
    '  CA: .sallyport/ca.pem',
    '  Ctrl-C ends',
  ]);
});

test('40 columns: everything is still there, the URL to its end', () => {
  expect(plain(40)).toEqual([
    '  Sallyport                    all ready',
    '',
    '  ● serving      team/demo/web',
    '    https://team--demo--web.apps.localho',
    '    st:8443/',
    '    → 127.0.0.1:3000',
    '    1,204 requests · 2 live',
    '',
    '  × unreachable  team/demo/api',
    '    https://team--demo--api.apps.localho',
    '    st:8443/',
    '    → 127.0.0.1:9000',
    '    1 request · 0 live',
    '    last error: app_unreachable, nothing',
    '    listens',
    '    Start the application, or name its',
    '    real port:',
    '    sallyport service expose',
    '    team/demo/api=PORT',
    '',
    '  CA: .sallyport/ca.pem',
    '  Ctrl-C ends',
  ]);
});

const widths = [1, 5, 20, 39, 40, 60, 79, 80, 100, 120, 300];
const models: [title: string, model: ScreenModel][] = [
  ['two services', model],
  ['none', { services: [], notes: [] }],
  ['many', { services: Array.from({ length: 30 }, (_, i) => ({ ...web, name: `team/demo/s${i}` })), notes: ['a', 'b'] }],
  [
    'wide characters',
    { services: [{ ...web, detail: '応用は応答しない'.repeat(9), state: 'rejected' }], notes: ['é́'.repeat(50)] },
  ],
];

describe.each(models)('%s', (_title, given) => {
  test.each(widths)('no line is wider than %i columns, and colour moves nothing', (columns) => {
    const coloured = render(given, { columns, color: true });
    expect(coloured.filter((line) => widthOf(stripVTControlCharacters(line)) > columns)).toEqual([]);
    expect(coloured.map((line) => stripVTControlCharacters(line).trimEnd())).toEqual(render(given, { columns, color: false }));
  });

  test.each([2, 5, 8, 12, 24])('it leaves the last of %i rows to the cursor', (rows) => {
    expect(render(given, { columns: 80, color: false, rows }).length).toBeLessThan(rows);
  });
});

test('without colour there is no escape code', () => {
  expect(plain(80).join('')).not.toContain('\u001b');
});

test('each state has its colour, and its word', () => {
  const states = ['starting', 'serving', 'withdrawn', 'rejected', 'unreachable', 'not fresh'] as const;
  const lines = states.map((state) => render({ services: [{ ...web, state }], notes: [] }, { columns: 80, color: true })[2]);
  expect(lines.map((line) => line?.slice(2, line.indexOf('\u001b[0m')))).toEqual([
    '\u001b[33m○ starting',
    '\u001b[32m● serving',
    '\u001b[2m○ withdrawn',
    '\u001b[31m× rejected',
    '\u001b[31m× unreachable',
    '\u001b[33m○ not fresh',
  ]);
});

test('what does not fit the height is counted', () => {
  const many = { services: Array.from({ length: 9 }, (_, i) => ({ ...api, name: `team/demo/s${i}` })), notes: [] };
  expect(render(many, { columns: 80, color: false, rows: 16 })).toContain(
    '  8 more: make the window higher, or ask sallyport service list',
  );
});

test('text of strangers moves no cursor and turns no direction', () => {
  const hostile = { ...web, detail: 'a\u001b[2Jb\u0007c\u202ed\u009b1mz', state: 'rejected' as const };
  expect(plain(80, { services: [hostile], notes: ['x\r\ny'] }).join('\n')).toMatch(/a \[2Jb c d 1mz[\s\S]*x y/);
});

const heads: [title: string, columns: number, want: string][] = [
  ['all parts where there is room', 80, 'gateway ready · supervisor not ready (no lease)'],
  ['the one in trouble where there is little', 44, 'supervisor not ready'],
];
test.each(heads)('the head names %s', (_title, columns, want) => {
  const parts = [
    { name: 'gateway', state: 'ready' },
    { name: 'supervisor', state: 'not ready', detail: 'no lease' },
  ] as const;
  expect(plain(columns, { ...model, parts })[0]?.endsWith(want)).toBe(true);
});
