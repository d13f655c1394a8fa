/**
 * The life of one client connection, as a literal table. All of it is here, and nothing here knows sockets.
 *
 * Theory: two halves move on their own. The client sends a head, a body, an end; we send interim heads, one final head, a
 * body, an end. An answer may overtake the body of its request (`early…`), and a new request may not overtake an answer.
 * `advance` looks the move up before anything changes, so that an illegal one (a second answer, a body after a tunnel was
 * opened) leaves the connection as it was and shows the fault where it was made.
 */
export type ConnectionState =
  /** Between requests. */
  | 'idle'
  /** A head was read; its body is still coming. */
  | 'receiving'
  /** The request is whole and not answered. */
  | 'received'
  /** The final head was sent while the body was still coming. */
  | 'early-answering'
  /** The answer is whole, the request is not: drain a bounded rest, then close. */
  | 'early-answered'
  /** The final head was sent and the request is whole. */
  | 'answering'
  /** Both halves are whole. */
  | 'answered'
  /** 101 was sent. */
  | 'tunnel'
  | 'closed';

export type ConnectionEvent =
  /** read: a head, the end of a request */
  | 'request-head'
  | 'request-end'
  /** sent: a 1xx head, the final head, the end of the answer, 101 */
  | 'interim'
  | 'answer-head'
  | 'answer-end'
  | 'switch'
  /** An unreadable request gets an answer although there is no head. */
  | 'reject'
  /** The connection is kept for the next request. */
  | 'next'
  | 'close';

const MOVES: Readonly<Record<ConnectionState, Partial<Readonly<Record<ConnectionEvent, ConnectionState>>>>> = {
  idle: { 'request-head': 'receiving', reject: 'early-answering', close: 'closed' },
  receiving: {
    'request-end': 'received',
    interim: 'receiving',
    'answer-head': 'early-answering',
    reject: 'early-answering',
    close: 'closed',
  },
  received: { interim: 'received', 'answer-head': 'answering', switch: 'tunnel', close: 'closed' },
  'early-answering': { 'request-end': 'answering', 'answer-end': 'early-answered', close: 'closed' },
  'early-answered': { 'request-end': 'answered', close: 'closed' },
  answering: { 'answer-end': 'answered', close: 'closed' },
  answered: { next: 'idle', close: 'closed' },
  tunnel: { close: 'closed' },
  closed: {},
};

/** The state after the event. Throws on an illegal move: that is a fault of the caller, never of the peer. */
export function advance(state: ConnectionState, event: ConnectionEvent): ConnectionState {
  const next = MOVES[state][event];
  if (next === undefined) throw new Error(`connection: ${event} is not possible while ${state}`);
  return next;
}
