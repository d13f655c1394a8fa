import type { Instant } from '@sallyport/model';
import { createManualClock } from '@sallyport/process/manual-clock';
import { expect, test } from 'vitest';
import { createSnapshotLine, SNAPSHOT_WAIT_MAX_MS } from './snapshot-line.ts';

const at = (ms: number): Instant => ms as Instant;

/** Snapshots of so many parts, which are made when they are called; `takes` says whether a reader has room for the next. */
function stage({ partsPerTurn = 1, underWayMax = 100 } = {}) {
  const clock = createManualClock();
  const turns: (() => void)[] = [];
  const line = createSnapshotLine({ clock, nextTurn: (act) => void turns.push(act), partsPerTurn, underWayMax });
  const made: string[] = [];

  function begin(name: string, parts: number, { takes = (): boolean => true, principal = name } = {}) {
    let left = parts;
    const turn = line.join(principal, () => act());
    function act(): void {
      if (turn.ask(at(0)) !== 'go') return;
      made.push(name);
      left -= 1;
      if (left === 0) turn.leave();
      else if (takes()) act();
    }
    act();
    return { turn, goOn: act };
  }
  function pass(count: number): void {
    for (let turn = 0; turn < count; turn += 1) turns.shift()?.();
  }
  return { clock, line, made, begin, pass, turns };
}

test('a snapshot that is under way comes before one that is not', () => {
  const { begin, pass, made, turns } = stage();
  begin('a', 3);
  begin('b', 2);
  expect(made).toEqual([]);
  pass(2);
  expect(made).toEqual(['a', 'a']);
  pass(3);
  expect(made).toEqual(['a', 'a', 'a', 'b', 'b']);
  expect(turns).toHaveLength(0);
});

test('so many parts are made in one turn, and no more', () => {
  const { begin, pass, made } = stage({ partsPerTurn: 3 });
  begin('a', 2);
  begin('b', 2);
  begin('c', 1);
  pass(1);
  expect(made).toEqual(['a', 'a', 'b']);
  pass(1);
  expect(made).toEqual(['a', 'a', 'b', 'b', 'c']);
});

test('a reader that has no room holds nobody up, and goes on before those that came after it', () => {
  const { begin, pass, made } = stage();
  const slow = begin('slow', 3, { takes: () => false });
  begin('b', 2);
  begin('c', 2);
  pass(2);
  slow.goOn();
  pass(4);
  expect(made).toEqual(['slow', 'b', 'slow', 'b', 'c', 'c']);
});

test('no more are under way than there may be, but for those whose readers are slow', () => {
  const { clock, begin, pass, made, turns } = stage({ underWayMax: 2 });
  for (const name of ['a', 'b']) begin(name, 2, { takes: () => false });
  begin('c', 1);
  pass(3);
  expect([made, turns]).toEqual([['a', 'b'], []]);
  clock.advance(10);
  pass(1);
  expect(made).toEqual(['a', 'b', 'c']);
});

test('one that is whole, or not wanted any more, makes room for another', () => {
  const { begin, pass, made } = stage({ underWayMax: 1 });
  const gone = begin('a', 2, { takes: () => false });
  begin('b', 1);
  begin('c', 1);
  pass(1);
  gone.turn.leave();
  pass(2);
  expect(made).toEqual(['a', 'b', 'c']);
});

test('principals take turns, however many snapshots one of them wants', () => {
  const { begin, pass, made } = stage();
  for (const name of ['g1', 'g2', 'g3']) begin(name, 1, { principal: 'greedy' });
  begin('a', 1);
  begin('b', 1);
  pass(5);
  expect(made).toEqual(['g1', 'a', 'b', 'g2', 'g3']);
});

test.each([
  ['is late when it has waited for its first part so long', SNAPSHOT_WAIT_MAX_MS, 'late'],
  ['waits until then', SNAPSHOT_WAIT_MAX_MS - 1, 'wait'],
] as const)('a new one %s', (_title, ms, answer) => {
  const { line, begin, pass } = stage();
  begin('a', 3);
  const turn = line.join('b', () => undefined);
  expect(turn.ask(at(0))).toBe('wait');
  pass(2);
  expect([turn.ask(at(ms)), turn.lateAt()]).toEqual([answer, SNAPSHOT_WAIT_MAX_MS]);
});

test('one that is under way is never late', () => {
  const { line, pass } = stage();
  const turn = line.join('a', () => undefined);
  turn.ask(at(0));
  pass(1);
  expect(turn.ask(at(0))).toBe('go');
  expect([turn.ask(at(1e9)), turn.lateAt()]).toEqual(['wait', Number.POSITIVE_INFINITY]);
});

test('who leaves is not called, is not counted, and stands at the end of the line when it comes back', () => {
  const { line, begin, pass, made } = stage();
  const gone = begin('gone', 2);
  begin('b', 1);
  expect(line.waitingCount).toBe(2);
  gone.turn.leave();
  expect(line.waitingCount).toBe(1);
  gone.goOn();
  pass(3);
  expect(made).toEqual(['b', 'gone', 'gone']);
  expect(line.waitingCount).toBe(0);
});
