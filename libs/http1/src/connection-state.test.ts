import { expect, test } from 'vitest';
import { advance, type ConnectionEvent, type ConnectionState } from './connection-state.ts';

const walks: [title: string, events: ConnectionEvent[], want: ConnectionState][] = [
  ['one exchange', ['request-head', 'request-end', 'answer-head', 'answer-end', 'next'], 'idle'],
  ['interim answers', ['request-head', 'interim', 'request-end', 'interim', 'answer-head'], 'answering'],
  ['an early answer that the request overtakes', ['request-head', 'answer-head', 'request-end', 'answer-end', 'next'], 'idle'],
  ['an early answer whose rest is drained', ['request-head', 'answer-head', 'answer-end', 'request-end', 'close'], 'closed'],
  ['an early answer that closes', ['request-head', 'answer-head', 'answer-end', 'close'], 'closed'],
  ['a tunnel', ['request-head', 'request-end', 'switch', 'close'], 'closed'],
  ['an unreadable head', ['reject', 'answer-end', 'close'], 'closed'],
  ['a fault in a body', ['request-head', 'reject', 'answer-end', 'close'], 'closed'],
];
const walk = (events: ConnectionEvent[]): ConnectionState => events.reduce<ConnectionState>(advance, 'idle');
test.each(walks)('%s', (_title, events, want) => expect(walk(events)).toBe(want));

const illegal: [title: string, events: ConnectionEvent[]][] = [
  ['a request while the last one is unanswered', ['request-head', 'request-end', 'request-head']],
  ['a request while the answer is on its way', ['request-head', 'request-end', 'answer-head', 'request-head']],
  ['a second answer', ['request-head', 'request-end', 'answer-head', 'answer-head']],
  ['an answer to nothing', ['answer-head']],
  ['an interim answer to nothing', ['interim']],
  ['an interim answer behind the final head', ['request-head', 'request-end', 'answer-head', 'interim']],
  ['an end without a head', ['request-head', 'request-end', 'answer-end']],
  ['a rejection behind the final head', ['request-head', 'answer-head', 'reject']],
  ['a tunnel before the request is whole', ['request-head', 'switch']],
  ['an answer in a tunnel', ['request-head', 'request-end', 'switch', 'answer-head']],
  ['the next request while the body of this one is coming', ['request-head', 'answer-head', 'answer-end', 'next']],
  ['the next request in a tunnel', ['request-head', 'request-end', 'switch', 'next']],
  ['the next request behind a rejection', ['reject', 'answer-end', 'next']],
  ['anything on a closed connection', ['close', 'request-head']],
  ['closing twice', ['close', 'close']],
];
test.each(illegal)('refuses %s', (_title, events) => {
  const before = walk(events.slice(0, -1));
  expect(() => advance(before, events.at(-1) ?? 'close')).toThrow('not possible');
});
