import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Exchange } from '../stage/app.ts';
import type { Client } from '../stage/client.ts';
import { fieldOf, statusOf } from '../stage/message.ts';
import { HOST, type Stage } from '../stage/stage.ts';
import { pause, until } from '../stage/until.ts';
import { checkAnswer, checkRefusal, checkUnfinished } from './expect.ts';
import { framed, get } from './makers.ts';
import { type Row, row } from './row.ts';
import { last, openTunnel, passesBothWays, switched } from './websocket.ts';

/** A second, and the slack of the specification. */
const SECOND_MS = 1_700;
const EVENTS = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const EVENT = '9\r\ndata: 1\n\n\r\n';
const MEGABYTE = 1_024 * 1_024;

type Leaves = 'closes' | 'resets' | 'half-closes';
const leave = (client: Client, how: Leaves): void => {
  if (how === 'closes') client.close();
  else if (how === 'resets') client.reset();
  else client.socket.end();
};
const applicationSeesIt = (stage: Stage): Promise<void> =>
  until('the application sees its connection close', () => stage.web.openCount() === 0, SECOND_MS);

const eventStream = (id: string, title: string, how: Leaves): Row =>
  row(
    id,
    title,
    async (stage) => {
      stage.web.restart(async (exchange) => {
        exchange.send(EVENTS);
        for (; !exchange.connection.closed(); await pause(100)) exchange.send(EVENT);
      });
      const client = await stage.open();
      const before = client.messages.length;
      client.send(get('/x'));
      await until('the first event', () => (client.messages[before]?.bodyBytes ?? 0) > 0);
      leave(client, how);
      await applicationSeesIt(stage);
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  );

const thinking = (id: string, title: string, how: Leaves, request = get('/x')): Row =>
  row(
    id,
    title,
    async (stage) => {
      stage.web.restart(() => {});
      const client = await stage.open();
      client.send(request);
      await until('the request arrives', () => stage.web.requests().length === 1);
      await pause(300);
      leave(client, how);
      await applicationSeesIt(stage);
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  );

const uploading = (id: string, title: string, how: Leaves, part: string): Row =>
  row(
    id,
    title,
    async (stage) => {
      stage.web.restart(() => {});
      const client = await stage.open();
      client.send(part);
      await until('a part arrives', () => (stage.web.requests()[0]?.bodyBytes ?? 0) > 0);
      leave(client, how);
      await applicationSeesIt(stage);
      deepEqual(stage.web.wholeRequests(), []);
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  );

const LENGTH_UPLOAD = `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 1000\r\n\r\nhello`;
const CHUNKED_UPLOAD = framed('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n');

export const clientAbort: readonly Row[] = [
  eventStream('abort-01', 'the client of an event stream closes TLS and TCP', 'closes'),
  eventStream('abort-02', 'the client of an event stream resets TCP', 'resets'),
  thinking('abort-04', 'the client closes TLS and TCP while the application is still thinking', 'closes'),
  uploading('abort-06', 'the client closes TLS and TCP in the middle of an upload with Content-Length', 'closes', LENGTH_UPLOAD),
  uploading('abort-07', 'the client resets TCP in the middle of a chunked upload, between two chunks', 'resets', CHUNKED_UPLOAD),
  row(
    'abort-09',
    'the client leaves a download that it does not read',
    async (stage) => {
      stage.web.restart((exchange) => {
        exchange.send(`HTTP/1.1 200 OK\r\nContent-Length: ${64 * MEGABYTE}\r\n\r\n`);
        exchange.send(Buffer.alloc(64 * MEGABYTE, 'x'));
      });
      const client = await stage.open();
      client.socket.once('data', () => client.socket.pause());
      client.send(get('/x'));
      await until('the application begins', () => stage.web.requests().length === 1);
      const { socket } = stage.web.connections.at(-1) ?? {};
      let left = Number.POSITIVE_INFINITY;
      let stillSince = performance.now();
      await until('the application is held back', () => {
        const now = socket?.writableLength ?? 0;
        if (now !== left) stillSince = performance.now();
        left = now;
        return performance.now() - stillSince > 300;
      });
      ok(left > 32 * MEGABYTE, 'most of it is still at the application');
      client.reset();
      await applicationSeesIt(stage);
    },
    { ways: ['whole', 'tls-1.2'] },
  ),
  row(
    'abort-10',
    'the rest of an aborted answer is not given to the next request',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        if (exchange.target !== '/long') return exchange.respond(exchange.target);
        exchange.send(`HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(10_000)}`);
        await pause(400);
        exchange.send('x'.repeat(990_000));
      });
      const client = await stage.open();
      const before = client.messages.length;
      client.send(get('/long'));
      await until('the first bytes', () => (client.messages[before]?.bodyBytes ?? 0) > 0);
      client.reset();
      for (let n = 0; n < 10; n++) checkAnswer(await (await stage.open()).ask(get(`/${n}`)), 200, `/${n}`);
    },
    { ways: ['whole', 'second'] },
  ),

  // Neighbours: who half-closes an exchange has given it up; every kind of leaving at every moment
  eventStream('abort-n01', 'the client of an event stream half-closes', 'half-closes'),
  thinking('abort-n02', 'the client half-closes while the application is still thinking', 'half-closes'),
  thinking('abort-n03', 'the client resets while the application is still thinking', 'resets'),
  thinking(
    'abort-n04',
    'the client closes while the application thinks about a whole POST',
    'closes',
    `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 5\r\n\r\nhello`,
  ),
  thinking(
    'abort-n05',
    'the client closes with a second request pipelined behind: it is never sent',
    'closes',
    get('/1') + get('/SMUGGLED-T'),
  ),
  uploading('abort-n06', 'the client resets in the middle of an upload with Content-Length', 'resets', LENGTH_UPLOAD),
  uploading('abort-n07', 'the client closes in the middle of a chunk', 'closes', `${CHUNKED_UPLOAD}5\r\nhel`),
  uploading('abort-n08', 'the client closes before the last chunk', 'closes', `${CHUNKED_UPLOAD}0\r\n`),
  uploading('abort-n09', 'the client half-closes in the middle of a chunked upload', 'half-closes', CHUNKED_UPLOAD),
  row(
    'abort-n10',
    'the client leaves in the middle of a head: nothing arrives',
    async (stage) => {
      for (const how of ['closes', 'resets', 'half-closes'] as const) {
        const client = await stage.open();
        client.send(get('/x').slice(0, -3));
        leave(client, how);
        if (how === 'half-closes') await client.isOver(2_000);
      }
      stage.nothingArrived();
    },
    { ways: ['whole', 'second'] },
  ),
  row('abort-n11', 'the client leaves before the application is dialled: nothing stays open', async (stage) => {
    for (let n = 0; n < 20; n++) {
      const client = await stage.open();
      client.send(get('/x'));
      if (n % 2 === 0) client.reset();
      else client.close();
    }
    await until('nothing is open', () => stage.web.connections.every((each) => each.closed() || each.reader.messages.length > 0));
    await until('no exchange is left', () => stage.sandboxes.case.instance.counters().liveStreamCount === 0);
  }),
];

/** The answer begins, and 150 ms later the application dies. */
const unfinished = (id: string, title: string, bytes: string, how: 'FIN' | 'reset', request = get('/x')): Row =>
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

const noAnswer = (id: string, title: string, die: (exchange: Exchange) => void | Promise<void>, request = get('/x')): Row =>
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

const POST = `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 5\r\n\r\nhello`;
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const OLD = `GET /x HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`;

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

  // Neighbours
  unfinished('death-n01', 'reset inside a chunk', `${CHUNKED}64\r\nhalf`, 'reset'),
  unfinished('death-n02', 'FIN inside the trailer section', `${CHUNKED}5\r\nhello\r\n0\r\nX-A: 1\r\n`, 'FIN'),
  unfinished('death-n03', 'FIN after the last chunk and before the empty line', `${CHUNKED}5\r\nhello\r\n0\r\n`, 'FIN'),
  unfinished(
    'death-n04',
    'reset of a body of known length, one byte short',
    'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n'.concat('x'.repeat(99)),
    'reset',
  ),
  unfinished('death-n05', 'FIN inside a chunk size', `${CHUNKED}5\r\nhello\r\n1`, 'FIN'),
  unfinished(
    'death-n06',
    'reset of an HTTP/1.0 answer that would end with the connection',
    'HTTP/1.0 200 OK\r\n\r\npart of it',
    'reset',
  ),
  row(
    'death-n07',
    'an HTTP/1.0 client whose chunked answer breaks off: the end is not clean',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        exchange.send(`${CHUNKED}5\r\nhello\r\n`);
        await pause(100);
        exchange.close();
      });
      const client = await stage.open();
      const answer = await client.ask(OLD);
      await client.isOver(2_000);
      equal(answer.state, 'unfinished');
      equal(client.over(), 'reset');
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  noAnswer('death-n08', 'reset instead of an answer', (exchange) => exchange.reset()),
  noAnswer('death-n09', 'FIN between the head and its empty line', (exchange) =>
    exchange.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n'),
  ),
  noAnswer(
    'death-n10',
    '100 and then reset',
    async (exchange) => {
      exchange.send('HTTP/1.1 100 Continue\r\n\r\n');
      await pause(50);
      exchange.reset();
    },
    POST,
  ),
  noAnswer('death-n11', 'FIN instead of an answer to HEAD', (exchange) => exchange.close(), get('/x').replace('GET', 'HEAD')),
  row(
    'death-n12',
    'the application ends cleanly right behind a whole answer: the answer is whole',
    async (stage) => {
      stage.web.restart((exchange) => exchange.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
      const client = await stage.open();
      for (let n = 0; n < 5; n++) {
        const answer = await client.ask(get('/x'));
        checkAnswer(answer, 200, 'ok');
        equal(fieldOf(answer, 'sallyport-error'), undefined);
      }
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  row(
    'death-n13',
    'the application resets right behind a whole answer that was read: the answer is whole',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        exchange.respond('ok');
        await pause(50);
        exchange.reset();
      });
      const client = await stage.open();
      for (let n = 0; n < 3; n++) checkAnswer(await client.ask(get('/x')), 200, 'ok');
    },
    { ways: ['whole', 'second'] },
  ),
  row(
    'death-n14',
    'reset in the middle of a chunked upload, then the rest of it: 502 and no second request',
    async (stage) => {
      stage.web.restart((exchange) => exchange.reset());
      const client = await stage.open();
      client.send(CHUNKED_UPLOAD);
      const answer = await client.answer();
      checkRefusal(answer, 502, 'app_protocol');
      client.send(`0\r\n\r\n${get('/SMUGGLED-T')}`);
      await client.isOver(3_000);
      equal(client.messages.filter((message) => statusOf(message) === 502).length, 1);
    },
    { ways: ['whole', 'single-bytes'] },
  ),
];
