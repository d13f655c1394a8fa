import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { fieldOf, type Message, statusOf } from '../../stage/message.ts';
import { HOST, type Lane } from '../lane.ts';
import { answerWithNumber } from '../recorder.ts';
import { segmentsOf } from '../requests/case.ts';
import { type ReadResponse, readResponse } from '../strict/response.ts';
import type { ResponseCase } from './case.ts';

export interface ResponseResult {
  readonly reading: ReadResponse;
  readonly wrong: readonly string[];
}

/** One answer through the listener, then the next request of the same client, which must get an answer of its own. */
export async function runResponse(lane: Lane, subject: ResponseCase): Promise<ResponseResult> {
  const { method, version, ending } = subject;
  const { recorder } = lane;
  const isHead = method === 'HEAD';
  // What is not whole by itself is ended, in one way or the other.
  const alone = readResponse(subject.bytes, isHead, false);
  const ends = ending === 'keep' && alone.state === 'partial' ? 'end' : ending;
  const reading = readResponse(subject.bytes, isHead, ends === 'end');

  let sent = false;
  recorder.begin((socket, request, nth) => {
    if (nth > 0) return answerWithNumber(socket, request, nth);
    void send(socket, subject, ends).then(() => {
      sent = true;
      recorder.onChange();
    });
  });
  const first = await lane.connection();
  first.begin((nth) => nth === 0 && isHead);
  const kept = version === 'HTTP/1.0' ? 'Connection: keep-alive\r\n' : '';
  const body = method === 'POST' ? 'Content-Length: 2\r\n\r\nhi' : '\r\n';
  first.socket.write(`${method} /first ${version}\r\nHost: ${HOST}\r\n${kept}${body}`, 'latin1');
  const wrong: string[] = [];
  const settled = (): boolean => first.over !== 'no' || first.answers()[0]?.state === 'whole';
  if (!(await first.until(() => sent && settled()))) wrong.push('hangs: no end of the answer');
  // So that what comes late from the application comes before the next request asks.
  for (let i = 0; i < 3; i++) await turn();
  const answer = first.answers()[0];
  // Its connection may be ending just now, with an answer that says so.
  const ending1 = answer !== undefined && (fieldOf(answer, 'connection') ?? '').includes('close');
  if (ending1 && wrong.length === 0 && !(await first.until(() => first.over !== 'no'))) wrong.push('said close and did not');
  // The one case in which a request may be sent twice: a kept connection died before any byte of an answer.
  const repeated = subject.bytes === '' && recorder.requests().length === 2;
  if (!repeated) wrong.push(...judge(reading, answer, ends, isHead, first.over));
  if (first.answers().length > 1) wrong.push(`a second answer: ${first.answers()[1]?.head}`);
  const fault = first.fault();
  if (fault !== undefined) wrong.push(`the client read what is no plain HTTP: ${fault}`);

  if (first.over !== 'no' || wrong.length > 0) first.drop();
  const before = recorder.requests().length;
  const next = await lane.connection();
  next.begin(() => false);
  next.socket.write(`GET /next HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`, 'latin1');
  if (!(await next.until(() => next.over !== 'no' || next.answers()[0]?.state === 'whole')))
    wrong.push('hangs: the next request');
  const own = next.answers()[0];
  if (own === undefined || statusOf(own) !== 200 || own.body() !== String(before))
    wrong.push(`the next request got ${own === undefined ? `nothing (${next.over})` : own.head + own.body()}`);
  if (next.over !== 'no' || wrong.length > 0) next.drop();
  return { reading, wrong };
}

async function send(socket: Socket, { bytes, cuts }: ResponseCase, ends: ResponseCase['ending']): Promise<void> {
  for (const segment of segmentsOf({ bytes, cuts })) {
    if (!socket.writable) return;
    if (segment !== '') socket.write(segment, 'latin1');
    if (cuts.length > 0) await turn();
  }
  if (ends === 'end') socket.end();
  if (ends !== 'reset') return;
  // Later than the bytes, or the system might forget them.
  for (let i = 0; i < 3; i++) await turn();
  socket.resetAndDestroy();
}

/** A well-formed answer or an unfinished one, never a mix. */
function judge(
  reading: ReadResponse,
  answer: Message | undefined,
  ends: ResponseCase['ending'],
  isHead: boolean,
  over: string,
): string[] {
  const refused = answer !== undefined && fieldOf(answer, 'sallyport-error') === 'app_protocol' && statusOf(answer) === 502;
  const isWhole = answer?.state === 'whole';
  if (reading.status === undefined) return refused && isWhole ? [] : [`refusal: of ${reading.state} got ${shown(answer)}`];
  // What was reset beneath its bytes may have lost them.
  if (refused) return ends === 'reset' && isWhole ? [] : [`refused: ${shown(answer)}`];
  if (answer === undefined) return [`no answer: the connection is ${over}`];
  const body = answer.body();
  if (statusOf(answer) !== reading.status) return [`status: ${shown(answer)}, not ${reading.status}`];
  const expected = isHead ? '' : reading.body;
  if (reading.state === 'whole') {
    if (isWhole && body === expected) return [];
    return ends === 'reset' && !isWhole && expected.startsWith(body)
      ? []
      : [`body: ${shown(answer)}, not ${JSON.stringify(expected)}`];
  }
  if (isWhole) return [`seems whole: ${shown(answer)}, of an answer that is ${reading.state}`];
  return expected.startsWith(body) ? [] : [`unfinished: ${shown(answer)}, not of ${JSON.stringify(expected)}`];
}

const shown = (answer: Message | undefined): string =>
  answer === undefined ? 'nothing' : JSON.stringify(`${answer.state} ${answer.head}${answer.body().slice(0, 200)}`);
