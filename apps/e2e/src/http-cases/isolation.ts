import { equal, ok } from 'node:assert/strict';
import { livelyMs } from '@sallyport/process/lively';
import { fieldOf, statusOf } from '../stage/message.ts';
import { HOST, HOST_B, HOST_DEAD, HOST_SOLO, HOST_TWIN } from '../stage/stage.ts';
import { pause, until } from '../stage/until.ts';
import { checkAnswer } from './expect.ts';
import { get } from './makers.ts';
import { type Row, row } from './row.ts';
import { handshake, switched } from './tunnel-makers.ts';

const MEGABYTE = 1_024 * 1_024;

export const isolation: readonly Row[] = [
  row('iso-01', 'two sandboxes whose services are the same port never share an application connection', async (stage) => {
    const [a, b] = [await stage.open(), await stage.open({ servername: HOST_TWIN })];
    for (let n = 0; n < 30; n++) {
      const [client, host] = n % 2 === 0 ? [a, HOST] : [b, HOST_TWIN];
      checkAnswer(await client.ask(get(`/${n}`, '', host)), 200, `web GET /${n}`);
    }
    for (const { reader } of stage.web.connections)
      equal(new Set(reader.messages.map((request) => fieldOf(request, 'host'))).size, 1);
    ok(stage.web.connections.length >= 2);
  }),
  row(
    'iso-02',
    'interleaved requests of two services on two client connections',
    async (stage) => {
      const [a, b] = [await stage.open(), await stage.open({ servername: HOST_B })];
      for (let n = 0; n < 20; n++) {
        checkAnswer(await a.ask(get(`/${n}`)), 200, `web GET /${n}`);
        checkAnswer(await b.ask(get(`/${n}`, '', HOST_B)), 200, `api GET /${n}`);
      }
    },
    { ways: ['whole', 'tls-1.2'] },
  ),
  row(
    'iso-03',
    'a hundred requests at once over 20 connections and three services: no mix-up',
    async (stage) => {
      const apps = [
        [HOST, stage.web],
        [HOST_B, stage.api],
        [HOST_SOLO, stage.solo],
      ] as const;
      for (const [, app] of apps) {
        app.restart(async (exchange) => {
          await exchange.whole();
          await pause((exchange.order * 37) % 60);
          exchange.respond(`${app.name} ${exchange.target}`);
        });
      }
      await Promise.all(
        Array.from({ length: 20 }, async (_, n) => {
          const [host, app] = apps[n % 3] ?? apps[0];
          const client = await stage.open({ servername: host });
          client.send(Array.from({ length: 5 }, (_, k) => get(`/${n}-${k}`, '', host)).join(''));
          for (let k = 0; k < 5; k++) checkAnswer(await client.answer(), 200, `${app.name} /${n}-${k}`);
        }),
      );
    },
    { ways: ['whole', 'tls-1.2'] },
  ),
  row('iso-04', 'a service that fails does not touch the streams of another', async (stage) => {
    let lastEvent = 0;
    let gap = 0;
    stage.web.restart(async (exchange) => {
      if (exchange.target === '/x/ws') return exchange.upgrade(switched());
      exchange.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      for (let n = 0; n < 400 && !exchange.connection.closed(); n++) {
        exchange.send('1\r\nx\r\n');
        await pause(10);
      }
    });
    stage.api.restart((exchange) => exchange.reset());
    const [stream, tunnel, b, dead] = [
      await stage.open(),
      await stage.open(),
      await stage.open({ servername: HOST_B }),
      await stage.open({ servername: HOST_DEAD }),
    ];
    stream.socket.on('data', () => {
      if (lastEvent > 0) gap = Math.max(gap, livelyMs() - lastEvent);
      lastEvent = livelyMs();
    });
    stream.send(get('/x'));
    equal(statusOf(await tunnel.ask(handshake())), 101);
    const bytes = tunnel.tunnel();
    for (let n = 0; n < 30; n++) {
      equal(statusOf(await b.ask(get('/x', '', HOST_B))), 502);
      stage.web.connections.find(({ reader }) => reader.messages[0]?.startLine.includes('/x/ws'))?.socket.write(`frame ${n};`);
      await bytes.sees(`frame ${n};`);
    }
    for (let n = 0; n < 10; n++) equal(statusOf(await dead.ask(get('/x', '', HOST_DEAD))), 502);
    equal(stream.over(), 'open');
    equal(tunnel.over(), 'open');
    ok(gap < 500, `the stream stood still for ${gap} ms`);
  }),
  row('iso-05', 'clients of A that do not read do not delay B', async (stage) => {
    stage.web.restart((exchange) => exchange.respond('x'.repeat(20 * MEGABYTE)));
    for (let n = 0; n < 10; n++) {
      const client = await stage.open();
      client.socket.pause();
      client.send(get('/x'));
    }
    await until('all have asked', () => stage.web.requests().length === 10);
    const b = await stage.open({ servername: HOST_B });
    for (let n = 0; n < 20; n++) {
      const askedAt = livelyMs();
      checkAnswer(await b.ask(get(`/${n}`, '', HOST_B)), 200, `api GET /${n}`);
      ok(livelyMs() - askedAt < 500, `request ${n} took ${livelyMs() - askedAt} ms`);
    }
  }),

  // Neighbours: ending one sandbox touches no other
  row('iso-n01', 'stopping one instance leaves the streams of another on the same port', async (stage) => {
    stage.web.restart((exchange) => exchange.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n'));
    const [a, b] = [await stage.open(), await stage.open({ servername: HOST_TWIN })];
    for (const [client, host] of [
      [a, HOST],
      [b, HOST_TWIN],
    ] as const) {
      client.send(get('/x', '', host));
      await until('the stream begins', () => (client.messages[0]?.bodyBytes ?? 0) > 0);
    }
    stage.sandboxes.twin.instance.stop('stopped');
    await b.isOver(1_000);
    equal(b.over(), 'reset');
    equal(a.over(), 'open');
    stage.web.connections[0]?.socket.write('1\r\ny\r\n0\r\n\r\n');
    await until('the stream of A goes on', () => a.messages[0]?.state === 'whole');
  }),
  row('iso-n02', 'withdrawing one service leaves the other of the same sandbox', async (stage) => {
    for (const app of [stage.web, stage.api])
      app.restart((exchange) => exchange.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n'));
    const [a, b] = [await stage.open(), await stage.open({ servername: HOST_B })];
    a.send(get('/x'));
    b.send(get('/x', '', HOST_B));
    for (const client of [a, b]) await until('the stream begins', () => (client.messages[0]?.bodyBytes ?? 0) > 0);
    stage.sandboxes.case.serve({ web: stage.web.port });
    await b.isOver(1_000);
    equal(a.over(), 'open');
  }),
  row('iso-n03', 'an idle connection of a withdrawn route is not used by the route that takes its host', async (stage) => {
    const client = await stage.open();
    checkAnswer(await client.ask(get('/1')), 200, 'web GET /1');
    stage.sandboxes.case.serve({ web: stage.api.port });
    checkAnswer(await client.ask(get('/2')), 200, 'api GET /2');
    await until('the idle connection is closed', () => stage.web.openCount() === 0);
    stage.sandboxes.case.serve({ web: stage.web.port });
    checkAnswer(await client.ask(get('/3')), 200, 'web GET /3');
  }),
  row(
    'iso-n04',
    'the stream limit of one route does not count for another',
    async (stage) => {
      stage.web.restart(() => {});
      const [a, b] = [await stage.open(), await stage.open({ servername: HOST_B })];
      a.send(get('/hold'));
      await until('it is held', () => stage.web.requests().length === 1);
      checkAnswer(await b.ask(get('/x', '', HOST_B)), 200, 'api GET /x');
      a.close();
      await until('it is let go', () => stage.web.openCount() === 0);
    },
    { limits: { streamsPerRouteMax: 1 } },
  ),
];
