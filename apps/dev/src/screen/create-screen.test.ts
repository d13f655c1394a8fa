import { createManualClock } from '@sallyport/process/manual-clock';
import { describe, expect, test } from 'vitest';
import { createScreen, type ScreenOptions } from './create-screen.ts';
import type { ScreenModel, ServiceRow } from './model.ts';
import { render } from './render.ts';
import { createTerminal } from './testing/terminal.ts';

const web: ServiceRow = {
  name: 'team/demo/web',
  url: 'https://team--demo--web.apps.localhost:8443/',
  target: '127.0.0.1:3000',
  state: 'serving',
  requestCount: 0,
  liveStreamCount: 0,
};
const model = (change: Partial<ServiceRow> = {}, notes: string[] = []): ScreenModel => ({
  services: [{ ...web, ...change }],
  notes,
});

function open(options: Partial<ScreenOptions> = {}, size = { columns: 80, rows: 24 }) {
  const terminal = createTerminal(size);
  const screen = createScreen({ out: terminal, isTerminal: true, color: false, ...options });
  const want = (given: ScreenModel): string[] => render(given, { color: false, columns: terminal.columns, rows: terminal.rows });
  return { terminal, screen, want };
}

describe('on a terminal', () => {
  test('stands under what was there before, and changes in place', () => {
    const { terminal, screen, want } = open();
    terminal.write('$ npm start\r\n');
    for (const next of [
      model(),
      model({ requestCount: 7 }),
      model({ state: 'unreachable', lastError: { code: 'app_unreachable', reason: 'x', hint: 'y' } }),
      model({}, ['one', 'two']),
      { services: [], notes: [] },
      model(),
    ]) {
      screen.update(next);
      expect(terminal.lines()).toEqual(['$ npm start', ...want(next)]);
    }
  });

  test('writes only the line that differs, and nothing when none does', () => {
    const { terminal, screen } = open();
    screen.update(model());
    terminal.forget();
    screen.update(model());
    expect(terminal.written()).toBe('');
    screen.update(model({ requestCount: 1 }));
    expect(terminal.written()).toContain('1 request');
    expect(terminal.written()).not.toContain('https://');
  });

  test('stays whole at the bottom of the window, where each line end scrolls', () => {
    const { terminal, screen, want } = open({}, { columns: 80, rows: 8 });
    for (let i = 0; i < 20; i++) terminal.write(`older ${i}\r\n`);
    screen.update(model());
    screen.update(model({}, ['a note']));
    screen.update(model({ requestCount: 3 }, ['a note']));
    const last = want(model({ requestCount: 3 }, ['a note']));
    expect(terminal.lines().slice(-last.length)).toEqual(last);
    expect(terminal.lines().filter((line) => line.includes('Sallyport'))).toHaveLength(1);
  });

  test.each([200, 60, 40, 25])('is drawn anew when the window becomes %i columns wide', (columns) => {
    const { terminal, screen, want } = open();
    terminal.write('before\r\n');
    screen.update(model());
    terminal.resize(columns);
    expect(terminal.lines()).toEqual(['before', ...want(model())]);
    screen.update(model({ requestCount: 2 }));
    expect(terminal.lines()).toEqual(['before', ...want(model({ requestCount: 2 }))]);
  });

  test('a line of the log goes above it', () => {
    const { terminal, screen, want } = open();
    screen.update(model());
    screen.above('a warning');
    screen.above('another\n');
    expect(terminal.lines()).toEqual(['a warning', 'another', ...want(model())]);
  });

  test('hides the cursor, and gives it back with the last view standing', () => {
    const { terminal, screen, want } = open();
    screen.update(model());
    expect(terminal.isCursorShown()).toBe(false);
    screen.close();
    screen.close();
    screen.update(model({ requestCount: 9 }));
    expect(terminal.isCursorShown()).toBe(true);
    expect(terminal.lines()).toEqual(want(model()));
    expect(terminal.listenerCount()).toBe(0);
  });

  test('a terminal that does not know its size is taken for one of 80 columns', () => {
    const written: string[] = [];
    const out = { write: (text: string) => written.push(text), columns: 0, rows: 0 };
    const screen = createScreen({ out, isTerminal: true, color: false });
    screen.update(model());
    screen.close();
    for (const line of render(model(), { columns: 80, color: false })) expect(written.join('')).toContain(`${line}\r\n`);
  });

  test('a busy service draws ten times a second, and the newest counts', () => {
    const clock = createManualClock();
    const { terminal, screen, want } = open({ clock });
    screen.update(model());
    terminal.forget();
    for (let i = 1; i <= 50; i++) screen.update(model({ requestCount: i }));
    expect(terminal.written()).toBe('');
    clock.advance(100);
    expect(terminal.lines()).toEqual(want(model({ requestCount: 50 })));
    screen.update(model({ requestCount: 51 }));
    screen.close();
    expect(terminal.lines()).toEqual(want(model({ requestCount: 51 })));
    expect(clock.pendingCount()).toBe(0);
  });
});

describe('into a file', () => {
  function told(...models: ScreenModel[]): string[] {
    const writes: string[] = [];
    const screen = createScreen({ out: { write: (text) => writes.push(text) }, isTerminal: false, color: false });
    for (const next of models) screen.update(next);
    screen.close();
    const written = writes.join('');
    expect(written).not.toContain('\u001b');
    return written.split('\n').slice(0, -1);
  }
  const lastError = { code: 'app_unreachable', reason: 'nothing listens', hint: 'Start it:\nsallyport x' };
  const serving = 'team/demo/web serving https://team--demo--web.apps.localhost:8443/ -> 127.0.0.1:3000';
  const failed = 'team/demo/web error app_unreachable: nothing listens. Start it: sallyport x';

  const rows: [title: string, models: ScreenModel[], want: string[]][] = [
    ['says that it serves', [model()], [serving]],
    ['says nothing of counts', [model(), model({ requestCount: 5, liveStreamCount: 1 })], [serving]],
    [
      'tells each change of state, there and back',
      [model({ state: 'starting' }), model(), model({ state: 'withdrawn', detail: 'deleted' }), model()],
      ['team/demo/web starting', serving, 'team/demo/web withdrawn: deleted', serving],
    ],
    [
      'tells an error once',
      [model({ lastError }), model({ lastError, requestCount: 2 }), model(), model({ lastError })],
      [serving, failed],
    ],
    [
      'tells another error',
      [model({ lastError }), model({ lastError: { code: 'over_limit', reason: 'full' } })],
      [serving, failed, 'team/demo/web error over_limit: full'],
    ],
    [
      'tells when a service is gone, and when it returns',
      [model(), { services: [], notes: [] }, model()],
      [serving, 'team/demo/web is gone', serving],
    ],
    ['tells a note once', [model({}, ['CA: x']), model({}, ['CA: x'])], [serving, 'CA: x']],
    [
      'tells how the parts stand',
      [
        { services: [], notes: [], parts: [{ name: 'gateway', state: 'starting' }] },
        { services: [], notes: [], parts: [{ name: 'gateway', state: 'not ready', detail: 'no etcd' }] },
      ],
      ['gateway starting', 'gateway not ready: no etcd'],
    ],
    [
      'keeps what strangers say on one line',
      [model({ state: 'rejected', detail: 'a\n\u001b[31mb' })],
      ['team/demo/web rejected: a [31mb'],
    ],
  ];
  test.each(rows)('%s', (_title, models, want) => expect(told(...models)).toEqual(want));
});
