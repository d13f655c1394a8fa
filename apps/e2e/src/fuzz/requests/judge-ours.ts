import { fieldOf, type Message, methodOf, statusOf, targetOf } from '../../stage/message.ts';
import { CODES, type Rule } from '../rules.ts';
import type { Reading, ReadRequest } from '../strict/requests.ts';
import type { Outcome } from './run-ours.ts';

/**
 * The oracle that needs no other implementation: whatever came in, the application saw exactly the requests that the
 * strict reader read, each with its own answer, and nothing of what it refused.
 *
 * @returns what is wrong, the kind first, so that a smaller case can be told to have the same fault
 */
export function judgeOurs(expected: Reading, outcome: Outcome): string[] {
  const wrong: string[] = [...outcome.faults];
  let [seen, answered] = [0, 0];
  for (const [nth, request] of expected.requests.entries()) {
    const answer = outcome.answers[answered];
    if (!request.headRefused) {
      const got = outcome.seen[seen];
      wrong.push(...judgeRequest(request, got));
      // The number by which the application answered: each request has its own answer.
      if (request.whole) wrong.push(...judgeAnswer(answer, seen, request.asksHead));
      seen++;
    }
    if (request.rule !== undefined) {
      wrong.push(...judgeRefusal(answer, request.rule));
      // Its body was still on the way when it was refused, so the connection ended there, as it may.
      const mayEnd = request.rule === 'host-mismatch' && nth < expected.requests.length - 1 && outcome.over !== 'no';
      if (mayEnd && outcome.answers.length === answered + 1) return wrong;
    }
    if (request.whole || request.rule !== undefined) answered++;
  }
  if (outcome.seen.length > seen) wrong.push(`more requests: ${outcome.seen.length}, not ${seen}: ${outcome.seen[seen]?.head}`);
  // What is too long is refused before it is whole.
  const early = expected.end === 'in-head' || expected.end === 'in-body' ? 1 : 0;
  if (outcome.answers.length > answered + early) wrong.push(`more answers: ${outcome.answers.length}, not ${answered}`);
  const extra = outcome.answers[answered];
  if (extra !== undefined && statusOf(extra) < 400) wrong.push(`an answer to nothing: ${extra.head}`);
  if (expected.end === 'open' && outcome.over !== 'no') wrong.push('closed: the connection did not live on');
  return wrong;
}

function judgeRequest(request: ReadRequest, got: Message | undefined): string[] {
  if (got === undefined) return request.whole ? [`unseen: ${request.method} ${request.target}`] : [];
  const wrong: string[] = [];
  if (methodOf(got) !== request.method) wrong.push(`method: ${methodOf(got)}, not ${request.method}`);
  if (targetOf(got) !== request.target) wrong.push(`target: ${targetOf(got)}, not ${request.target}`);
  const host = (fieldOf(got, 'host') ?? '').replace(/:\d+$/, '');
  if (host !== request.host) wrong.push(`host: ${host}, not ${request.host}`);
  const body = got.body();
  if (request.whole && (got.state !== 'whole' || body !== request.body))
    wrong.push(`body: ${got.state} ${body}, not ${request.body}`);
  if (!request.whole && (got.state === 'whole' || !request.body.startsWith(body))) wrong.push(`unfinished: ${got.state} ${body}`);
  const added = firstForeign(request, got);
  if (added !== undefined) wrong.push(`field: ${added} was not sent, or not there`);
  return wrong;
}

const WRITTEN_BY_US = /^(host|content-length|transfer-encoding|connection|te|upgrade|x-forwarded-(for|proto|host))$/i;

/** Every field that is not of our own writing was sent so, in this order. */
function firstForeign(request: ReadRequest, got: Message): string | undefined {
  let at = 0;
  for (const [name, value] of got.fields) {
    if (WRITTEN_BY_US.test(name)) continue;
    while (at < request.fields.length && (request.fields[at]?.[0] !== name || request.fields[at]?.[1] !== value)) at++;
    if (at++ >= request.fields.length) return `${name}: ${value}`;
  }
  return undefined;
}

function judgeAnswer(answer: Message | undefined, nth: number, asksHead: boolean): string[] {
  if (answer === undefined) return [`unanswered: request ${nth}`];
  const right = statusOf(answer) === 200 && answer.state === 'whole' && answer.body() === (asksHead ? '' : String(nth));
  return right ? [] : [`answer: request ${nth} got ${answer.head}${answer.body()}`];
}

function judgeRefusal(answer: Message | undefined, rule: Rule): string[] {
  if (answer === undefined) return [`unrefused: by ${rule}`];
  const code = fieldOf(answer, 'sallyport-error');
  return code !== undefined && CODES[rule].includes(code) ? [] : [`refusal: by ${rule} got ${answer.head}`];
}
