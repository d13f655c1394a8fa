import { deepEqual, ok } from 'node:assert/strict';
import type { Client } from '../stage/client.ts';
import { HOST, type Stage } from '../stage/stage.ts';
import { pause, until } from '../stage/until.ts';
import { checkAnswer } from './expect.ts';
import { framed, get } from './makers.ts';
import { type Row, row } from './row.ts';

/** A second, and the slack of the specification. */
export const SECOND_MS = 1_700;
export const EVENTS = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
export const EVENT = '9\r\ndata: 1\n\n\r\n';
export const MEGABYTE = 1_024 * 1_024;

export type Leaves = 'closes' | 'resets' | 'half-closes';
export const leave = (client: Client, how: Leaves): void => {
  if (how === 'closes') client.close();
  else if (how === 'resets') client.reset();
  else client.socket.end();
};
export const applicationSeesIt = (stage: Stage): Promise<void> =>
  until('the application sees its connection close', () => stage.web.openCount() === 0, SECOND_MS);

export const eventStream = (id: string, title: string, how: Leaves): Row =>
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

export const thinking = (id: string, title: string, how: Leaves, request = get('/x')): Row =>
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

export const uploading = (id: string, title: string, how: Leaves, part: string): Row =>
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

export const LENGTH_UPLOAD = `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 1000\r\n\r\nhello`;
export const CHUNKED_UPLOAD = framed('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n');

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
