import { equal } from 'node:assert/strict';
import { statusOf } from '../stage/message.ts';
import { pause, until } from '../stage/until.ts';
import { checkAnswer, checkRefusal } from './expect.ts';
import { KEEP, old, onDying, surplus } from './keep-alive.ts';
import { get, post } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';

/** Neighbours of the section. */
export const keepAliveMore: readonly Row[] = [
  onDying('ka-n01', 'HEAD, idempotent and without a body, is repeated once', get('/again').replace('GET', 'HEAD'), true),
  onDying('ka-n02', 'PUT without a body is repeated once', get('/again').replace('GET', 'PUT'), true),
  onDying('ka-n03', 'DELETE without a body is repeated once', get('/again').replace('GET', 'DELETE'), true),
  onDying('ka-n04', 'PUT with a body is not repeated', post('/again', 'hello').replace('POST', 'PUT'), false),
  onDying('ka-n05', 'GET with a body is not repeated', post('/again', 'hello').replace('POST', 'GET'), false),
  onDying('ka-n06', 'POST without a body is not repeated', get('/again').replace('GET', 'POST'), false),
  onDying('ka-n07', 'PATCH without a body is not repeated', get('/again').replace('GET', 'PATCH'), false),
  onDying('ka-n08', 'a made-up method is not repeated', get('/again').replace('GET', 'FROB'), false),
  row(
    'ka-n09',
    'a GET on a fresh connection that dies is not repeated',
    async (stage) => {
      stage.web.restart((exchange) => exchange.close());
      const client = await stage.open();
      checkRefusal(await client.ask(get('/x')), 502, 'app_protocol');
      equal(stage.web.requests().length, 1);
    },
    { ways: ['whole', 'single-bytes'] },
  ),
  row('ka-n10', 'the repetition dies too: 502 after two attempts, not more', async (stage) => {
    const client = await stage.open();
    stage.web.restart((exchange) => (exchange.target === '/1' ? exchange.respond('ok') : exchange.close()));
    checkAnswer(await client.ask(get('/1')), 200, 'ok');
    checkRefusal(await client.ask(get('/2')), 502, 'app_protocol');
    equal(stage.web.requests().filter(({ startLine }) => startLine.includes('/2')).length, 2);
  }),
  row('ka-n11', 'a used connection that dies inside the answer is not repeated', async (stage) => {
    const client = await stage.open();
    stage.web.restart((exchange) => (exchange.target === '/1' ? exchange.respond('ok') : exchange.end('HTTP/1.1 200 OK\r\n')));
    checkAnswer(await client.ask(get('/1')), 200, 'ok');
    checkRefusal(await client.ask(get('/2')), 502, 'app_protocol');
    equal(stage.web.requests().length, 2);
  }),
  row('ka-n12', 'a used connection that is reset instead of closed: GET is repeated', async (stage) => {
    const client = await stage.open();
    stage.web.restart((exchange) => (exchange.nth > 0 ? exchange.reset() : exchange.respond('ok')));
    checkAnswer(await client.ask(get('/1')), 200, 'ok');
    checkAnswer(await client.ask(get('/2')), 200, 'ok');
    equal(stage.web.requests().length, 3);
  }),
  surplus('ka-n13', 'a line end behind an answer is not taken for the next one', '\r\n'),
  surplus('ka-n14', 'a 100 behind an answer is not taken for the next one', 'HTTP/1.1 100 Continue\r\n\r\n'),
  row('ka-n15', 'a 408 that an application sends before it closes an idle connection reaches nobody', async (stage) => {
    stage.web.restart(async (exchange) => {
      exchange.respond(exchange.target);
      if (exchange.target !== '/1') return;
      await pause(100);
      exchange.respond('idle', { status: '408 Request Timeout', fields: 'Connection: close\r\n' });
      exchange.close();
    });
    const client = await stage.open();
    checkAnswer(await client.ask(get('/1')), 200, '/1');
    await until('the application has closed', () => stage.web.connections.at(-1)?.closed() === true);
    checkAnswer(await client.ask(get('/2')), 200, '/2');
  }),
  row(
    'ka-n16',
    'bytes past the last chunk are not given to anyone',
    async (stage) => {
      stage.web.restart((exchange) =>
        exchange.target === '/1'
          ? exchange.send(
              'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\npoisoned',
            )
          : exchange.respond(exchange.target),
      );
      const client = await stage.open();
      checkAnswer(await client.ask(get('/1')), 200, 'ok');
      for (const path of ['/2', '/3']) checkAnswer(await client.ask(get(path)), 200, path);
    },
    { ways: PARSED },
  ),
  row(
    'ka-n17',
    'bytes behind the answer to HEAD are not given to anyone',
    async (stage) => {
      stage.web.restart((exchange) =>
        exchange.method === 'HEAD'
          ? exchange.send('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello')
          : exchange.respond(exchange.target),
      );
      const client = await stage.open();
      checkAnswer(await client.ask(get('/1').replace('GET', 'HEAD')), 200, '');
      for (const path of ['/2', '/3']) checkAnswer(await client.ask(get(path)), 200, path);
      equal(client.fault(), undefined);
    },
    { ways: PARSED },
  ),
  row(
    'ka-n18',
    '`close` beside `keep-alive` wins, on both sides',
    async (stage) => {
      const client = await stage.open();
      checkAnswer(await client.ask(get('/x', 'Connection: keep-alive, close\r\n')), 200);
      await client.isOver(2_000);
      stage.web.restart((exchange) => exchange.respond('ok', { fields: 'Connection: Close\r\nConnection: keep-alive\r\n' }));
      const other = await stage.open();
      checkAnswer(await other.ask(get('/1')), 200, 'ok');
      await until('the application connection is closed', () => stage.web.openCount() === 0, 2_000);
    },
    { ways: PARSED },
  ),
  row(
    'ka-n19',
    'a request that is pipelined behind `Connection: close` is not executed',
    async (stage) => {
      const client = await stage.open();
      client.send(get('/1', 'Connection: close\r\n') + get('/SMUGGLED-T'));
      checkAnswer(await client.answer(), 200, 'web GET /1');
      await client.isOver(2_000);
      equal(stage.web.requests().length, 1);
    },
    { ways: PARSED },
  ),
  row(
    'ka-n20',
    'HTTP/1.0 with keep-alive: 1.1 and 1.0 in turn on one connection',
    async (stage) => {
      const client = await stage.open();
      for (const request of [get('/1'), old('/2', KEEP), get('/3'), old('/4')]) equal(statusOf(await client.ask(request)), 200);
      await client.isOver(2_000);
    },
    { ways: PARSED },
  ),
  row(
    'ka-n21',
    'an idle client connection is closed cleanly after its time',
    async (stage) => {
      const client = await stage.open();
      checkAnswer(await client.ask(get('/x')), 200);
      await client.isOver(3_000);
      equal(client.over(), 'ended');
    },
    { limits: { idleMs: 300 } },
  ),
  row(
    'ka-n22',
    'an idle connection to the application is closed after its time, and not used at its edge',
    async (stage) => {
      const client = await stage.open();
      checkAnswer(await client.ask(get('/1')), 200);
      await until('the proxy closes it', () => stage.web.openCount() === 0, 3_000);
      checkAnswer(await client.ask(get('/2')), 200);
    },
    { limits: { appIdleMs: 300 } },
  ),
];
