import { deepEqual, equal, fail, ok } from 'node:assert/strict';
import type { Client } from '../stage/client.ts';
import { type FieldLine, fieldOf, fieldsOf, type Message, methodOf, statusOf, targetOf } from '../stage/message.ts';
import type { Stage } from '../stage/stage.ts';

/** What a request must look like at the application; what is absent does not matter. */
export interface Seen {
  readonly method?: string;
  readonly target?: string;
  readonly body?: string;
  /** Every one of these lines, name as written. */
  readonly has?: readonly FieldLine[];
  /** Names that must not be there, in any case. */
  readonly lacks?: readonly string[];
  /** Exactly these lines, in this order, beside Host, Connection and our own forwarding fields. */
  readonly lines?: readonly FieldLine[];
}

const OURS: ReadonlySet<string> = new Set(['host', 'connection', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host']);

export function checkSeen(request: Message | undefined, seen: Seen): void {
  if (request === undefined) fail('no request reached the application');
  equal(request.state, 'whole', 'the request is whole');
  if (seen.method !== undefined) equal(methodOf(request), seen.method);
  if (seen.target !== undefined) equal(targetOf(request), seen.target);
  if (seen.body !== undefined) equal(request.body(), seen.body);
  for (const [name, value] of seen.has ?? []) {
    ok(
      request.fields.some((line) => line[0] === name && line[1] === value),
      `no "${name}: ${value}" in ${request.head}`,
    );
  }
  for (const name of seen.lacks ?? []) deepEqual(fieldsOf(request, name), [], `${name} at the application`);
  if (seen.lines !== undefined)
    deepEqual(
      request.fields.filter(([name]) => !OURS.has(name.toLowerCase())),
      seen.lines,
    );
}

/** An answer of our own: its status, its code, and what every one of them has. */
export function checkRefusal(answer: Message, status: number, code: string): void {
  equal(`${statusOf(answer)} ${fieldOf(answer, 'sallyport-error')}`, `${status} ${code}`);
  equal(answer.state, 'whole');
  equal(fieldOf(answer, 'cache-control'), 'no-store');
  // The answer to a HEAD has none.
  if (answer.bodyBytes > 0 && fieldOf(answer, 'content-type')?.startsWith('application/json')) {
    const shown = JSON.parse(answer.body());
    equal(shown.code, code);
    equal(typeof shown.retryable, 'boolean');
  }
}

/** Refused, said so, and closed: what follows a fault in the framing or the head. */
export async function checkRefusedAndClosed(client: Client, answer: Message, status: number, code: string): Promise<void> {
  checkRefusal(answer, status, code);
  deepEqual(fieldsOf(answer, 'connection'), ['close']);
  await client.isOver(3_000);
}

export function checkAnswer(answer: Message, status: number, body?: string): void {
  equal(answer.state, 'whole', 'the answer is whole');
  equal(statusOf(answer), status, answer.head + answer.body().slice(0, 200));
  if (body !== undefined) equal(answer.body(), body);
}

/** The client can tell that the answer is not whole. */
export function checkUnfinished(client: Client, answer: Message): void {
  equal(answer.state, 'unfinished');
  ok(client.over() !== 'open', 'the connection is closed');
}

export function checkRequestCount(stage: Stage, web: number, api = 0): void {
  deepEqual(
    [stage.web.requests().map(targetOf), stage.api.requests().map(targetOf)].map((targets) => targets.length),
    [web, api],
  );
}
