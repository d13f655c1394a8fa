import { setImmediate as turn } from 'node:timers/promises';
import type { Message } from '../../stage/message.ts';
import type { Lane } from '../lane.ts';
import type { Reading } from '../strict/requests.ts';
import { type Case, segmentsOf } from './case.ts';

/** What came of a case at our listener, on both sides of it. */
export interface Outcome {
  /** What the application saw. */
  readonly seen: readonly Message[];
  readonly answers: readonly Message[];
  readonly over: 'no' | 'ended' | 'reset';
  /** What is wrong already without any comparison. */
  readonly faults: readonly string[];
}

/** The application may have noticed its last bytes in the same turn as the client; it is told of them in the next. */
const SETTLE_TURNS = 2;

/**
 * Sends one case and waits for all that must come of it: a strict reader has said how many answers there will be, and
 * whether the connection ends by itself. Nothing is waited for by time, but that a case never comes to its end.
 */
export async function runOurs(lane: Lane, { cuts, bytes }: Pick<Case, 'bytes' | 'cuts'>, expected: Reading): Promise<Outcome> {
  const { recorder } = lane;
  const connection = await lane.connection();
  const { socket } = connection;
  recorder.begin();
  connection.begin((nth) => expected.requests[nth]?.asksHead === true);
  const faults: string[] = [];

  for (const segment of segmentsOf({ bytes, cuts })) {
    if (!socket.writable) break;
    socket.write(segment, 'latin1');
    if (cuts.length > 0 && cuts.length < 8) await turn();
  }
  const answered = expected.requests.filter(({ whole, rule }) => whole || rule !== undefined).length;
  const forwarded = expected.requests.filter(({ headRefused }) => !headRefused).length;
  const isOver = (): boolean => connection.over !== 'no';
  const isAnswered = (): boolean =>
    connection.answers().filter(({ state }) => state === 'whole').length >= answered && recorder.requests().length >= forwarded;
  if (!(await connection.until(() => isOver() || isAnswered())))
    faults.push(
      `hangs: ${connection.answers().length} of ${answered} answers, ${recorder.requests().length} of ${forwarded} requests`,
    );

  if (expected.end !== 'open' || isOver() || faults.length > 0) {
    // Whoever gave up inside a request ends the connection; otherwise the listener does it.
    if (expected.end === 'in-head' || expected.end === 'in-body') socket.end();
    if (faults.length === 0 && !(await connection.until(isOver))) faults.push('the connection is not ended');
    connection.drop();
    for (let i = 0; i < SETTLE_TURNS; i++) await turn();
  }
  const fault = connection.fault();
  if (fault !== undefined) faults.push(`the client read what is no plain HTTP: ${fault}`);
  faults.push(...recorder.faults().map((each) => `the application read what is no plain HTTP: ${each}`));
  return { seen: recorder.requests(), answers: connection.answers(), over: connection.over, faults };
}
