import type { StoreRevision } from '@sallyport/model';
import { expect, test } from 'vitest';
import { PAGE_MS } from './page.ts';
import type { Scope } from './scope.ts';
import { at, createReplica, createScript, plain } from './testing/stage.ts';

const NOW = at(1_000);

function stage({ recordsPerPage = 2 } = {}) {
  const script = createScript(() => NOW);
  const replica = createReplica(recordsPerPage);
  replica.evidence.echoed(1n as StoreRevision, NOW);
  const take = (changes: Parameters<typeof replica.take>[0]) => replica.take(changes, script.revision, NOW);
  const publish = (...sandboxes: string[]) => {
    for (const sandbox of sandboxes) take(script.publish(sandbox));
  };
  const pages = (scope: Scope = 'all') => [...replica.catalog.pagesOf(scope)];
  const told = (now = NOW) => pages().map((page) => page.told(now, replica.evidence));
  const names = (now = NOW) => told(now).map((page) => page.map(({ record }) => String(record.sandbox)));
  return { script, replica, take, publish, pages, told, names };
}

test('a page has records of one workspace, and no more than fit', () => {
  const { publish, names, pages } = stage();
  publish('a1', 'b1', 'a2', 'a3');
  expect(names()).toEqual([['a1', 'a2'], ['a3'], ['b1']]);
  expect(pages(plain(new Set(['b', 'z'])))).toHaveLength(1);
  expect(pages(plain(new Set(['x', 'y', 'z'])))).toEqual([]);
});

test('what leaves room is followed by what comes, and a page of nothing is none', () => {
  const { script, take, publish, names } = stage();
  publish('a1', 'a2', 'a3');
  take(script.withdraw('a1'));
  publish('a4', 'a5');
  expect(names()).toEqual([
    ['a2', 'a5'],
    ['a3', 'a4'],
  ]);
  for (const sandbox of ['a2', 'a5']) take(script.withdraw(sandbox));
  expect(names()).toEqual([['a3', 'a4']]);
});

test('all who begin within a moment are told the same array', () => {
  const { publish, told } = stage();
  publish('a1', 'a2');
  const [first] = told();
  expect(told(at(NOW + PAGE_MS))[0]).toBe(first);
  expect(told(at(NOW + PAGE_MS + 1))[0]).not.toBe(first);
});

test('no life in a page is longer than it is for the last who is told of it', () => {
  const { replica, publish, told } = stage();
  publish('a1');
  const until = replica.catalog.listing('a1/web')?.until ?? NOW;
  expect(told()[0]).toEqual([expect.objectContaining({ ttlMs: until - NOW - PAGE_MS })]);
});

const rows: [title: string, act: (it: ReturnType<typeof stage>) => void, expected: string[]][] = [
  ['a record is there that was not', ({ publish }) => publish('a2'), ['a1', 'a2']],
  ['one is gone', ({ script, take }) => void take(script.withdraw('a1')), []],
  ['one has run out', ({ replica }) => void replica.catalog.passed(at(1e6)), []],
];
test.each(rows)('a page is made anew at once when %s', (_title, act, expected) => {
  const it = stage();
  it.publish('a1');
  it.told();
  act(it);
  expect(it.names().flat()).toEqual(expected);
});

test('a page that did not change stays as it is when another does', () => {
  const { publish, told } = stage();
  publish('a1', 'b1');
  const [a] = told();
  publish('b2');
  expect(told()[0]).toBe(a);
});
