import { deepEqual, equal, ok } from 'node:assert/strict';
import { livelyMs } from '@sallyport/process/lively';
import { fieldOf, statusOf } from '../stage/message.ts';
import { HOST, type Stage } from '../stage/stage.ts';
import { until } from '../stage/until.ts';
import { checkAnswer, checkRefusal, checkRefusedAndClosed, checkSeen, type Seen } from './expect.ts';
import { PARSED, type Row, row } from './row.ts';

export type Options = Partial<Pick<Row, 'ways' | 'limits'>>;

/** The request that no case may bring to life; written with the length that the specification's figures assume. */
export const HIDDEN = `GET /SMUGGLED-T HTTP/1.1\r\nHost: ${HOST}\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n`;
export const hex = (text: string): string => text.length.toString(16);

export const get = (target: string, fields = '', host: string = HOST): string =>
  `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${fields}\r\n`;
export const post = (target: string, body: string, fields = ''): string =>
  `POST ${target} HTTP/1.1\r\nHost: ${HOST}\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`;
/** A head with these fields after Host, and what follows it. */
export const framed = (fields: string, rest = '', method = 'POST'): string =>
  `${method} /x HTTP/1.1\r\nHost: ${HOST}\r\n${fields}\r\n${rest}`;

/** Refused by the proxy; not one byte reaches the application, and the connection is closed. */
export const refused = (id: string, title: string, bytes: string, status: number, code: string, options: Options = {}): Row =>
  row(
    id,
    title,
    async (stage) => {
      const client = await stage.open();
      const answer = await client.ask(bytes, bytes.startsWith('HEAD ') ? 'HEAD' : 'GET');
      await checkRefusedAndClosed(client, answer, status, code);
      stage.nothingArrived();
    },
    { ways: PARSED, ...options },
  );

/** Several requests, each refused on a connection of its own. */
export const eachRefused = (id: string, title: string, requests: readonly string[], status: number, code: string): Row =>
  row(
    id,
    title,
    async (stage) => {
      for (const bytes of requests) {
        const client = await stage.open();
        await checkRefusedAndClosed(client, await client.ask(bytes, 'GET'), status, code);
        stage.nothingArrived();
      }
    },
    { ways: PARSED },
  );

/** The body is unreadable: the head may have gone on, a whole request never does. */
export const badBody = (id: string, title: string, bytes: string, options: Options = {}): Row =>
  row(
    id,
    title,
    async (stage) => {
      const client = await stage.open();
      await checkRefusedAndClosed(client, await client.ask(bytes), 400, 'bad_request');
      deepEqual(stage.web.wholeRequests(), []);
      ok(stage.web.requests().length <= 1, 'at most one head at the application');
      await until('the application is left', () => stage.web.openCount() === 0);
    },
    { ways: PARSED, ...options },
  );

/** Exactly one well-formed request at the application, and its answer at the client. */
export const forwarded = (id: string, title: string, bytes: string, seen: Seen, options: Options = {}): Row =>
  row(id, title, async (stage) => forward(stage, bytes, seen), { ways: PARSED, ...options });

/** As {@link forwarded} for several requests, one after the other on one connection. */
export const eachForwarded = (
  id: string,
  title: string,
  requests: readonly (readonly [bytes: string, seen: Seen])[],
  options: Options = {},
): Row =>
  row(
    id,
    title,
    async (stage) => {
      const client = await stage.open();
      for (const [index, [bytes, seen]] of requests.entries()) {
        checkAnswer(await client.ask(bytes), 200);
        equal(stage.web.requests().length, index + 1);
        checkSeen(stage.web.requests()[index], seen);
      }
    },
    { ways: PARSED, ...options },
  );

async function forward(stage: Stage, bytes: string, seen: Seen): Promise<void> {
  const client = await stage.open();
  const answer = await client.ask(bytes);
  checkAnswer(answer, 200);
  equal(stage.web.requests().length, 1, 'exactly one request at the application');
  checkSeen(stage.web.requests()[0], seen);
}

/** The application answers with these bytes and stays, or ends: 502 and nothing of it at the client. */
export const badAnswer = (
  id: string,
  title: string,
  answer: string,
  then: 'stays' | 'closes' | 'resets' = 'stays',
  { request = get('/x'), ways = ['whole', 'single-bytes'] }: { readonly request?: string } & Options = {},
): Row =>
  row(
    id,
    title,
    async (stage) => {
      const split = stage.way === 'single-bytes' && answer.length < 4_000;
      stage.web.restart(async (exchange) => {
        await exchange.whole();
        if (split) for (const byte of Buffer.from(answer, 'latin1')) exchange.send(Buffer.of(byte));
        else exchange.send(answer);
        if (then === 'closes') exchange.end();
        if (then === 'resets') exchange.connection.socket.once('drain', exchange.reset);
        if (then === 'resets' && exchange.connection.socket.writableLength === 0) exchange.reset();
      });
      const client = await stage.open();
      const askedAt = livelyMs();
      const got = await client.ask(request);
      checkRefusal(got, 502, 'app_protocol');
      ok(livelyMs() - askedAt < 3_000, 'within 3 s');
      equal(stage.web.requests().length, 1, 'asked once');
      equal(fieldOf(got, 'set-cookie'), undefined);
      await until('the application connection is closed', () => stage.web.openCount() === 0, 3_000);
      // The client's own connection is fine: its request was whole.
      stage.web.restart((exchange) => exchange.respond('again'));
      equal(statusOf(await client.ask(get('/again'))), 200);
    },
    { ways },
  );
