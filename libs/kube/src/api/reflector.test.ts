import type { Instant } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { ageMs, newReflector, type Reflector, type ReflectorEffect, type ReflectorEvent, step, wakeAt } from './reflector.ts';
import { LIST_LIMIT, OLDER_LISTS_MAX, SETTLE_MAX_MS, SETTLE_MS, SILENCE_MS, timeoutSeconds } from './reflector-limits.ts';
import { trouble, troubleOf } from './trouble.ts';

type Event = ReflectorEvent<string>;
const at = (ms: number): Instant => ms as Instant;
const page = (items: string[], version: string, next?: string): Event => ({ kind: 'page', page: { items, version, next } });
const changed = (item: string, version: string): Event => ({ kind: 'changed', change: 'put', version, item });
const gone: Event = { kind: 'ended', why: troubleOf(410, 'too old') };
const broken: Event = { kind: 'ended', why: trouble('unreachable', 'reset') };
const clean: Event = { kind: 'ended', why: undefined };
const failed: Event = { kind: 'page-failed', why: trouble('unreachable', 'refused') };
const huge: Event = { kind: 'page-failed', why: trouble('too-large', 'huge') };

/** Each step: at which millisecond, what; `random` is always a half. */
function run(...steps: readonly [ms: number, event: Event][]) {
  let state: Reflector<string> = newReflector();
  let effects: readonly ReflectorEffect<string>[] = [];
  for (const [ms, event] of steps) ({ state, effects } = step(state, event, { now: at(ms), random: 0.5, checkEveryMs: 600_000 }));
  return { state, effects, said: effects.map(spell) };
}
function spell(effect: ReflectorEffect<string>): string {
  switch (effect.kind) {
    case 'list':
      return `list ${effect.purpose}${effect.next === undefined ? '' : ` from ${effect.next}`}`;
    case 'watch':
      return `watch ${effect.since}`;
    case 'replace':
    case 'compare':
      return `${effect.kind} ${effect.items.join()}@${effect.version}`;
    case 'put':
    case 'remove':
      return `${effect.kind} ${effect.item}`;
    case 'stop-watch':
      return 'stop-watch';
    case 'say':
      return 'say';
  }
}

const start: [number, Event] = [0, { kind: 'start' }];
const listed: [number, Event][] = [start, [10, page(['a'], '100')]];
const watching: [number, Event][] = [...listed, [20, { kind: 'opened' }]];
const heard: [number, Event][] = [...watching, [5_000, changed('b', '110')]];

describe('what it does', () => {
  const rows: [title: string, steps: [number, Event][], said: string[], phase: string][] = [
    ['at the start: it lists', [start], ['list fill'], 'listing'],
    ['with half a list: the next page', [start, [5, page(['a'], '100', 'n1')]], ['list fill from n1'], 'listing'],
    [
      'with all pages: takes them as one, and watches from there',
      [start, [5, page(['a'], '100', 'n1')], [9, page(['b'], '100')]],
      ['replace a,b@100', 'watch 100'],
      'opening',
    ],
    [
      'with a cursor that expired between pages: a fresh list',
      [start, [5, page(['a'], '100', 'n')], [9, { kind: 'page-failed', why: troubleOf(410, '') }]],
      ['say', 'list fill'],
      'listing',
    ],
    [
      'when that happens again: waits',
      [start, [5, { kind: 'page-failed', why: troubleOf(410, '') }], [9, { kind: 'page-failed', why: troubleOf(410, '') }]],
      ['say'],
      'waiting',
    ],
    ['when it cannot list: waits', [start, [5, failed]], ['say'], 'waiting'],
    ['and lists again when the wait is over', [start, [5, failed], [405, { kind: 'tick' }]], ['list fill'], 'listing'],
    ['but not before', [start, [5, failed], [404, { kind: 'tick' }]], [], 'waiting'],
    [
      'when the server asks to be left alone: for so long at least',
      [start, [0, { kind: 'page-failed', why: troubleOf(429, '', 7) }], [7_399, { kind: 'tick' }]],
      [],
      'waiting',
    ],
    ['with a change: takes it', heard, ['put b'], 'watching'],
    [
      'with an object that cannot be read: nothing, but its version counts',
      [...watching, [30, { kind: 'changed', change: 'put', version: '120', item: undefined }], [5_000, clean]],
      ['watch 120'],
      'opening',
    ],
    [
      'with a bookmark: its version counts',
      [...watching, [30, { kind: 'bookmark', version: '130' }], [5_000, clean]],
      ['watch 130'],
      'opening',
    ],
    ['when the server ends the watch: the next one from the last version', [...heard, [9_000, clean]], ['watch 110'], 'opening'],
    ['when watches end as they begin: waits', [...watching, [30, clean]], [], 'waiting'],
    [
      'when the connection breaks: waits, then watches from the last version',
      [...heard, [9_000, broken], [9_400, { kind: 'tick' }]],
      ['watch 110'],
      'opening',
    ],
    ['when history is gone: lists at once', [...heard, [9_000, gone]], ['say', 'list fill'], 'listing'],
    [
      'when history is gone as soon as it watches again: waits',
      [...heard, [9_000, gone], [9_010, page([], '120')], [9_020, { kind: 'opened' }], [9_030, gone]],
      ['say'],
      'waiting',
    ],
    [
      'when history is gone after failures that are over: lists at once all the same',
      [
        start,
        [5, failed],
        [405, { kind: 'tick' }],
        [410, page([], '100')],
        [420, { kind: 'opened' }],
        [1_430, changed('b', '110')],
        [1_440, gone],
      ],
      ['say', 'list fill'],
      'listing',
    ],
    [
      'when history is gone each time that it has told something: waits',
      [
        ...heard,
        [9_000, gone],
        [9_010, page([], '120')],
        [9_020, { kind: 'opened' }],
        [9_030, changed('c', '121')],
        [9_040, gone],
      ],
      ['say'],
      'waiting',
    ],
    [
      'when an event is longer than any object: lists after a while, for the watch would only tell it again',
      [...heard, [9_000, { kind: 'ended', why: trouble('too-large', '') }], [9_400, { kind: 'tick' }]],
      ['list fill'],
      'listing',
    ],
    [
      'with a page that is too large: the same page again',
      [start, [5, page(['a'], '100', 'n1')], [9, huge]],
      ['say', 'list fill from n1'],
      'listing',
    ],
    ['in silence: nothing yet', [...heard, [5_000 + SILENCE_MS - 1, { kind: 'tick' }]], [], 'watching'],
    [
      'in silence for too long: a new watch from the last version',
      [...heard, [5_000 + SILENCE_MS, { kind: 'tick' }]],
      ['stop-watch', 'say', 'watch 110'],
      'opening',
    ],
    [
      'when a watch is not answered: waits for another',
      [...listed, [10 + SILENCE_MS, { kind: 'tick' }]],
      ['stop-watch', 'say'],
      'waiting',
    ],
    [
      'with a list that is older than what was seen: not taken',
      [...heard, [9_000, gone], [9_010, page(['z'], '99')]],
      ['say'],
      'waiting',
    ],
    ['with events that nobody waits for: nothing', [...listed, [20, changed('b', '110')]], [], 'opening'],
    ['with a second start: nothing', [...watching, [30, { kind: 'start' }]], [], 'watching'],
  ];
  test.each(rows)('%s', (_title, steps, said, phase) => {
    const result = run(...steps);
    expect(result.said).toEqual(said);
    expect(result.state.phase.kind).toBe(phase);
  });
});

test('pages that are too large become smaller, down to one object, and grow again by whole lists', () => {
  const limits = [start, ...Array.from({ length: 4 }, (_, n): [number, Event] => [n + 1, huge])].map((_, n, steps) =>
    run(...steps.slice(0, n + 1)).effects.flatMap((effect) => (effect.kind === 'list' ? [effect.limit] : [])),
  );
  expect(limits).toEqual([[LIST_LIMIT], [62], [7], [1], []]);
  expect(run(start, [1, huge], [2, huge], [3, page(['a'], '100')]).state.limit).toBe(14);
  expect(run(...listed).state.limit).toBe(LIST_LIMIT);
});
test('a list that stays older is believed in the end: a cluster that was restored counts from before', () => {
  const steps: [number, Event][] = [...heard, [9_000, gone]];
  for (let again = 0; again < OLDER_LISTS_MAX; again += 1)
    steps.push([10_000 + again * 60_000, page(['z'], '50')], [65_000 + again * 60_000, { kind: 'tick' }]);
  expect(run(...steps, [900_000, page(['z'], '50')]).said).toEqual(['replace z@50', 'watch 50']);
});

describe('how old what is held may be', () => {
  const rows: [title: string, steps: [number, Event][], now: number, age: number | undefined][] = [
    ['nothing is held', [start], 50, undefined],
    ['a list counts from when it was asked for', listed, 50, 50],
    ['a watch from when it was asked for', watching, 50, 40],
    ['a change from when it came', heard, 5_001, 1],
    ['a watch that broke from what it said last', [...heard, [9_000, broken]], 10_000, 5_000],
    ['a failed list makes nothing younger', [...heard, [9_000, gone], [9_500, failed]], 10_000, 5_000],
  ];
  test.each(rows)('%s', (_title, steps, now, age) => expect(ageMs(run(...steps).state, at(now))).toBe(age));
});

describe('the self-check', () => {
  const due: [number, Event][] = [...watching];
  for (let ms = 30_000; ms < 600_000; ms += 30_000) due.push([ms, { kind: 'bookmark', version: '100' }]);
  const checkPage = (items: string[], version: string, next?: string): Event => ({
    kind: 'check-page',
    page: { items, version, next },
  });
  const told = (ms: number): [number, Event] => [ms, { kind: 'bookmark', version: '140' }];
  const begun: [number, Event][] = [...due, [600_010, { kind: 'tick' }]];
  const settling: [number, Event][] = [...begun, [600_020, checkPage(['a'], '140', 'n')], [600_030, checkPage(['b'], '140')]];
  const rows: [title: string, steps: [number, Event][], said: string[]][] = [
    ['is not made before it is due', due, []],
    ['lists beside the watch', begun, ['list check']],
    ['page by page', [...begun, [600_020, checkPage(['a'], '140', 'n')]], ['list check from n']],
    ['lets the watch tell what the list knew', [...settling, [600_029 + SETTLE_MS, { kind: 'tick' }]], []],
    ['then compares', [...settling, told(600_040), [600_030 + SETTLE_MS, { kind: 'tick' }]], ['compare a,b@140']],
    ['waits longer while the watch has not come so far', [...settling, [600_030 + SETTLE_MS, { kind: 'tick' }]], []],
    [
      'but not for ever',
      [
        ...settling,
        [600_030 + SETTLE_MS, { kind: 'tick' }],
        [630_000, { kind: 'bookmark', version: '120' }],
        [670_000, { kind: 'bookmark', version: '130' }],
        [600_030 + SETTLE_MAX_MS, { kind: 'tick' }],
      ],
      ['compare a,b@140'],
    ],
    [
      'that fails is made another time',
      [...begun, [600_020, { kind: 'check-failed', why: trouble('unreachable', '') }]],
      ['say'],
    ],
    ['is given up when everything is listed anyway', [...begun, [600_020, gone], [600_030, checkPage(['a'], '140')]], []],
    ['answers that nobody asked for are nothing', [...watching, [30, checkPage(['a'], '140')]], []],
  ];
  test.each(rows)('%s', (_title, steps, said) => expect(run(...steps).said).toEqual(said));
});

test('it wakes when something is due, and sleeps while it waits for the server', () => {
  expect(wakeAt(run(start).state)).toBeUndefined();
  expect(wakeAt(run(...listed).state)).toBe(10 + SILENCE_MS);
  expect(wakeAt(run(...heard).state)).toBe(5_000 + SILENCE_MS);
  expect(wakeAt(run(start, [5, failed]).state)).toBe(405);
});
test('watches are asked for five to ten minutes', () => {
  expect([timeoutSeconds(0), timeoutSeconds(0.5), timeoutSeconds(0.999)]).toEqual([300, 450, 599]);
});
