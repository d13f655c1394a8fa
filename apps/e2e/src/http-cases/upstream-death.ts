import { equal, ok } from 'node:assert/strict';
import type { Exchange } from '../stage/app.ts';
import { HOST } from '../stage/stage.ts';
import { pause } from '../stage/until.ts';
import { EVENT, EVENTS, MEGABYTE, SECOND_MS } from './client-abort.ts';
import { checkAnswer, checkRefusal, checkUnfinished } from './expect.ts';
import { get } from './makers.ts';
import { type Row, row } from './row.ts';
import { last, openTunnel, passesBothWays, switched } from './tunnel-makers.ts';

/** The answer begins, and 150 ms later the application dies. */
export const unfinished = (id: string, title: string, bytes: string, how: 'FIN' | 'reset', request = get('/x')): Row =>
  row(
    id,
    title,
    async (stage) => {
      stage.web.restart(async (exchange) => {
        exchange.send(bytes);
        await pause(150);
        if (how === 'FIN') exchange.close();
        else exchange.reset();
      });
      const client = await stage.open();
      const answer = await client.ask(request);
      await client.isOver(2_000);
      checkUnfinished(client, answer);
      ok(answer.bodyBytes > 0, 'what was sent reached the client');
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  );

export const noAnswer = (
  id: string,
  title: string,
  die: (exchange: Exchange) => void | Promise<void>,
  request = get('/x'),
): Row =>
  row(
    id,
    title,
    async (stage) => {
      stage.web.restart(async (exchange) => {
        await exchange.whole();
        await die(exchange);
      });
      const client = await stage.open();
      checkRefusal(await client.ask(request), 502, 'app_protocol');
      equal(stage.web.requests().length, 1);
      stage.web.restart((exchange) => exchange.respond('works'));
      checkAnswer(await client.ask(get('/x')), 200, 'works');
    },
    { ways: ['whole', 'single-bytes'] },
  );

export const POST = `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 5\r\n\r\nhello`;
export const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
export const OLD = `GET /x HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`;

export const upstreamDeath: readonly Row[] = [
  unfinished(
    'death-01',
    'reset inside a body of known length: the client sees an unfinished answer',
    'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf',
    'reset',
  ),
  unfinished(
    'death-02',
    'FIN inside a body of known length: the client sees an unfinished answer',
    'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf',
    'FIN',
  ),
  unfinished(
    'death-04',
    'FIN after a whole chunk, no last chunk: the client sees an unfinished answer',
    `${CHUNKED}5\r\nhello\r\n`,
    'FIN',
  ),
  unfinished('death-05', 'reset of an event stream: the client sees an unfinished answer', EVENTS + EVENT, 'reset'),
  unfinished(
    'death-08',
    'reset of a body that would end with the connection: the client sees an unfinished answer',
    'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\npart of it',
    'reset',
  ),
  noAnswer('death-10', 'FIN instead of an answer', (exchange) => exchange.close(), POST),
  noAnswer('death-12', "FIN inside the answer's head", (exchange) => exchange.end('HTTP/1.1 200 OK\r\nContent-Le')),
  noAnswer('death-13', 'reset inside the status line', async (exchange) => {
    exchange.send('HTTP/1.');
    await pause(50);
    exchange.reset();
  }),
  noAnswer('death-14', '103 and then FIN', (exchange) => exchange.end('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')),
  row(
    'death-16',
    'reset in the middle of an upload',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        await pause(200);
        exchange.reset();
      });
      const client = await stage.open();
      client.send(`POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: ${5 * MEGABYTE}\r\n\r\n`);
      let sending = true;
      const sent = (async () => {
        for (let n = 0; n < 60 && sending; n++) {
          client.write(Buffer.alloc(40_000, 'x'));
          await pause(20);
        }
      })();
      checkRefusal(await client.answer(), 502, 'app_protocol');
      sending = false;
      await sent;
    },
    { ways: ['whole', 'second'] },
  ),

  row(
    'death-18',
    'the application resets an open tunnel',
    async (stage) => {
      stage.web.restart((exchange) => exchange.upgrade(switched()));
      const { client, tunnel } = await openTunnel(stage);
      await passesBothWays(stage, client, tunnel);
      last(stage)?.socket.resetAndDestroy();
      await client.isOver(SECOND_MS);
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
];
