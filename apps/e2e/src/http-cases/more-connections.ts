import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Client } from '../stage/client.ts';
import { statusOf } from '../stage/message.ts';
import { HOST, HOST_B, HOST_DEAD } from '../stage/stage.ts';
import { pause, until } from '../stage/until.ts';
import { checkAnswer, checkRefusal } from './expect.ts';
import { framed, get } from './makers.ts';
import { type Row, row } from './row.ts';
import { handshake, last, plain, switched } from './tunnel-makers.ts';

/** The rule is that all is drained before the end, not how fast a busy machine sends it. */
const PATIENT = { lingerMs: 60_000 };
/** More than the buffers of both systems take by themselves. */
const UPLOAD_BYTES = 24_000_000;
const upload = (host: string, length: number, fields = ''): string =>
  `POST /x HTTP/1.1\r\nHost: ${host}\r\n${fields}Content-Length: ${length}\r\n\r\n`;

/** As many libraries do it: everything is sent before anything is read, so a connection that is reset meanwhile loses its answer. */
async function sendAll(client: Client, head: string): Promise<void> {
  client.socket.pause();
  client.write(head);
  let sent = false;
  client.socket.write(Buffer.alloc(UPLOAD_BYTES, 'x'), (error) => {
    sent = !error;
  });
  await until('all is sent', () => sent || client.over() !== 'open');
  ok(sent, 'the connection was reset before all was sent');
  client.socket.resume();
}

const sendsAllFirst = (id: string, title: string, head: string, status: number, code: string, servername: string = HOST): Row =>
  row(
    id,
    `a client that reads only after it has sent all: ${title}`,
    async (stage) => {
      const client = await stage.open({ servername });
      await sendAll(client, head);
      checkRefusal(await client.answer(), status, code);
    },
    { limits: PATIENT },
  );

/** Neighbours that belong to several sections: many requests, and much that waits. */
export const moreConnections: readonly Row[] = [
  row('frm-n70', 'five hundred pipelined requests: every answer in its order', async (stage) => {
    const client = await stage.open();
    const count = 500;
    client.send(Array.from({ length: count }, (_, n) => get(`/${n}`)).join(''));
    for (let n = 0; n < count; n++) equal((await client.answer()).body(), `web GET /${n}`);
    equal(stage.web.requests().length, count);
    equal(stage.web.connections.length, 1);
  }),
  row(
    'frm-n71',
    'a pipelined upload of 3 MB behind a request that is still being answered',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        if (exchange.target === '/slow') await pause(300);
        await exchange.whole();
        exchange.respond(`${exchange.target} ${exchange.request.bodyBytes}`);
      });
      const client = await stage.open();
      client.send(get('/slow'));
      client.send(`POST /up HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 3000000\r\n\r\n`);
      client.write(Buffer.alloc(3_000_000, 'x'));
      client.send(get('/after'));
      for (const body of ['/slow 0', '/up 3000000', '/after 0']) checkAnswer(await client.answer(), 200, body);
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  row('frm-n72', 'a hundred thousand chunks of one byte', async (stage) => {
    const client = await stage.open();
    client.send(framed('Transfer-Encoding: chunked\r\n'));
    client.write(`${'1\r\nx\r\n'.repeat(100_000)}0\r\n\r\n`);
    checkAnswer(await client.answer(), 200);
    equal(stage.web.requests()[0]?.bodyBytes, 100_000);
  }),
  row('body-n31', 'an answer of a hundred thousand chunks of one byte', async (stage) => {
    stage.web.restart((exchange) =>
      exchange.send(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(100_000)}0\r\n\r\n`),
    );
    const client = await stage.open();
    equal((await client.ask(get('/x'))).bodyBytes, 100_000);
    equal((await client.ask(get('/x'))).bodyBytes, 100_000);
  }),
  row(
    'body-n32',
    'uploads and downloads at the same time on twenty connections',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        exchange.send('HTTP/1.1 200 OK\r\nContent-Length: 500000\r\n\r\n');
        exchange.send(Buffer.alloc(250_000, 'y'));
        await exchange.whole();
        exchange.send(Buffer.alloc(250_000, 'z'));
      });
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const client = await stage.open();
          client.send(`POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 500000\r\n\r\n`);
          client.write(Buffer.alloc(500_000, 'x'));
          const answer = await client.answer();
          deepEqual([answer.state, answer.bodyBytes], ['whole', 500_000]);
        }),
      );
      ok(stage.web.requests().every((request) => request.bodyBytes === 500_000));
    },
    { ways: ['whole', 'tls-1.2'] },
  ),
  row(
    'ka-n30',
    'an HTTP/1.0 answer with keep-alive and a length is reused',
    async (stage) => {
      stage.web.restart((exchange) => exchange.send('HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok'));
      const client = await stage.open();
      for (let n = 0; n < 3; n++) checkAnswer(await client.ask(get('/x')), 200, 'ok');
      equal(stage.web.connections.length, 1);
    },
    { ways: ['whole', 'second'] },
  ),
  row(
    'ka-n31',
    'a chunked answer is reused, also with trailers',
    async (stage) => {
      stage.web.restart((exchange) =>
        exchange.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-A: 1\r\n\r\n'),
      );
      const client = await stage.open();
      for (let n = 0; n < 3; n++) checkAnswer(await client.ask(get('/x')), 200, 'ok');
      equal(stage.web.connections.length, 1);
    },
    { ways: ['whole', 'second'] },
  ),
  row(
    'ka-n32',
    'many idle connections to the application: at most the limit is kept',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        await until('all are there at once', () => stage.web.requests().length === 12);
        exchange.respond('ok');
      });
      await Promise.all(
        Array.from({ length: 12 }, async () => checkAnswer(await (await stage.open()).ask(get('/x')), 200, 'ok')),
      );
      await until('the rest is closed', () => stage.web.openCount() === 3);
      equal(stage.sandboxes.case.instance.counters().idleAppConnectionCount, 3);
    },
    { limits: { idleAppConnectionsMax: 3, appIdleMs: 60_000 } },
  ),
  row(
    'abort-n12',
    'the client resets an upload that the application does not read',
    async (stage) => {
      stage.web.restart((exchange) => void exchange.connection.socket.pause());
      const client = await stage.open();
      client.send(`POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 50000000\r\n\r\n`);
      client.write(Buffer.alloc(20_000_000, 'x'));
      await until('the head arrives', () => stage.web.requests().length === 1);
      await pause(300);
      client.reset();
      await until('the exchange is over', () => stage.sandboxes.case.instance.counters().liveStreamCount === 0, 1_000);
      last(stage)?.socket.resume();
      await until('the application sees it', () => stage.web.openCount() === 0);
    },
    { ways: ['whole', 'tls-1.2'] },
  ),
  row(
    'abort-n13',
    'the client resets while what it sent of a refused upload is drained',
    async (stage) => {
      const client = await stage.open();
      client.send(`POST /x HTTP/1.1\r\nHost: ${HOST_B}\r\nContent-Length: 50000000\r\n\r\n`);
      checkRefusal(await client.answer(), 421, 'host_mismatch');
      client.reset();
      await until('the connection is let go', () => stage.supervisor.listener.connectionCount() === 0, 1_700);
    },
    { ways: ['whole', 'second'] },
  ),
  row(
    'ws-n28',
    'half a megabyte behind the handshake, before the 101',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        await pause(200);
        exchange.upgrade(switched());
      });
      const client = await stage.open();
      client.send(handshake());
      const early = Buffer.alloc(500_000, 'early ');
      client.write(early);
      equal(statusOf(await client.answer()), 101);
      await until('all of it arrives', () => last(stage)?.tunnelByteCount() === early.length);
      ok(last(stage)?.tunnel().equals(early));
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  row(
    'ws-n29',
    'half a megabyte behind a handshake that the application refuses is no request',
    async (stage) => {
      stage.web.restart((exchange) => exchange.respond('no', { status: '403 Forbidden' }));
      const client = await stage.open();
      client.send(handshake());
      client.write(Buffer.alloc(500_000, '\x81\x82\x00\x00'));
      checkAnswer(await client.answer(), 403, 'no');
      checkRefusal(await client.answer(), 400, 'bad_request');
      equal(stage.web.requests().length, 1);
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  plain('ws-n30', 'a handshake with Content-Length 0 is plain', handshake('Content-Length: 0\r\n')),
  row('ws-n31', 'a hundred tunnels at once, each its own bytes', async (stage) => {
    stage.web.restart((exchange) => exchange.upgrade(switched() + exchange.target));
    await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const client = await stage.open();
        equal(statusOf(await client.ask(handshake('', `/ws-${n};`))), 101);
        const tunnel = client.tunnel();
        await tunnel.sees(`/ws-${n};`);
        equal(tunnel.byteCount(), `/ws-${n};`.length);
      }),
    );
  }),
  sendsAllFirst('err-n17', 'nothing listens', upload(HOST_DEAD, UPLOAD_BYTES), 502, 'app_unreachable', HOST_DEAD),
  sendsAllFirst('err-n18', 'the Host is that of another service', upload(HOST_B, UPLOAD_BYTES), 421, 'host_mismatch'),
  sendsAllFirst('err-n19', 'the head is unreadable', upload(HOST, UPLOAD_BYTES, 'Content-Length: 1\r\n'), 400, 'bad_request'),
  sendsAllFirst('err-n20', 'the head is too large', get('/x', `X: ${'x'.repeat(100_000)}\r\n`), 431, 'headers_too_large'),
  row(
    'body-n35',
    'a client that reads only after it has sent all: an early 413 of the application is read whole',
    async (stage) => {
      stage.web.restart((exchange) => {
        exchange.connection.socket.pause();
        exchange.respond('too large', { status: '413 Content Too Large', fields: 'Connection: close\r\n' });
      });
      const client = await stage.open();
      await sendAll(client, upload(HOST, UPLOAD_BYTES));
      checkAnswer(await client.answer(), 413, 'too large');
      stage.web.connections.at(-1)?.socket.destroy();
    },
    { limits: PATIENT },
  ),
];
