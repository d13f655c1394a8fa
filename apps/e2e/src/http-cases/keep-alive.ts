import { deepEqual, equal, ok } from 'node:assert/strict';
import { fieldsOf } from '../stage/message.ts';
import { HOST, type Stage } from '../stage/stage.ts';
import { pause, until } from '../stage/until.ts';
import { checkAnswer, checkRefusal } from './expect.ts';
import { get, post } from './makers.ts';
import { ONCE, PARSED, type Row, row } from './row.ts';

export const old = (target: string, fields = ''): string => `GET ${target} HTTP/1.0\r\nHost: ${HOST}\r\n${fields}\r\n`;
export const KEEP = 'Connection: keep-alive\r\n';

/** After the first answer the application closes a used connection as soon as the next request is on it, without a byte. */
export function dieOnReuse(stage: Stage): void {
  stage.web.restart(async (exchange) => {
    await exchange.whole();
    if (exchange.nth > 0) exchange.close();
    else exchange.respond(`on connection ${exchange.connection.index}`);
  });
}

export const onDying = (id: string, title: string, request: string, repeated: boolean): Row =>
  row(
    id,
    title,
    async (stage) => {
      const client = await stage.open();
      const first = stage.web.connections.length;
      dieOnReuse(stage);
      checkAnswer(await client.ask(get('/first-of-two')), 200);
      const answer = await client.ask(request);
      if (repeated) {
        checkAnswer(answer, 200);
        equal(stage.web.requests().length, 3, 'one repetition, on a new connection');
        ok(stage.web.connections.length - first <= 2);
      } else {
        checkRefusal(answer, 502, 'app_protocol');
        equal(stage.web.requests().length, 2, 'never sent twice');
      }
    },
    { ways: ['whole', 'single-bytes'] },
  );

/** An answer with bytes behind it; six rounds of one and five further requests. */
export const surplus = (id: string, title: string, behind: string): Row =>
  row(
    id,
    title,
    async (stage) => {
      for (let round = 0; round < 6; round++) {
        let first = true;
        stage.web.restart(async (exchange) => {
          await exchange.whole();
          if (exchange.target !== '/poison') return exchange.respond(`${exchange.target} of round ${round}`);
          ok(first);
          first = false;
          exchange.send(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok${behind}`);
        });
        const client = await stage.open();
        const before = client.messages.length;
        checkAnswer(await client.ask(get('/poison')), 200, 'ok');
        for (let n = 0; n < 5; n++) {
          if (n === 2) await pause(20);
          const other = n % 2 === 0 ? client : await stage.open();
          checkAnswer(await other.ask(get(`/${n}`)), 200, `/${n} of round ${round}`);
        }
        ok(client.messages.slice(before).every((message) => !message.body().includes('poison')));
        equal(client.fault(), undefined);
        client.close();
      }
    },
    { ways: ONCE },
  );

export const keepAlive: readonly Row[] = [
  row(
    'ka-01',
    'twenty requests on one client connection',
    async (stage) => {
      const client = await stage.open();
      for (let n = 0; n < 20; n++) {
        const isGet = n % 2 === 0;
        checkAnswer(await client.ask(isGet ? get(`/${n}`) : post(`/${n}`, 'hello')), 200, `web ${isGet ? 'GET' : 'POST'} /${n}`);
      }
      equal(client.over(), 'open');
      equal(stage.web.connections.length, 1, 'one connection to the application');
    },
    { ways: [...PARSED, 'tls-1.2'] },
  ),
  onDying('ka-02', 'GET on an idle connection that the application closes at that moment', get('/again'), true),
  onDying(
    'ka-03',
    'POST with a body on an idle connection that the application closes at that moment',
    post('/again', 'hello'),
    false,
  ),
  row(
    'ka-08',
    'the application closes idle connections; a later request opens a new one',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        await exchange.whole();
        exchange.respond('ok', { fields: 'Keep-Alive: timeout=1\r\n' });
        if (exchange.order > 0) return;
        await pause(300);
        exchange.close();
      });
      const client = await stage.open();
      checkAnswer(await client.ask(get('/x')), 200, 'ok');
      await until('the application has closed', () => stage.web.connections.at(-1)?.closed() === true);
      for (const path of ['/1', '/2']) checkAnswer(await client.ask(post(path, 'hello')), 200, 'ok');
      equal(stage.web.requests().length, 3);
    },
    { ways: ['whole', 'second'] },
  ),
  row(
    'ka-10',
    '`Connection: close` of the application is obeyed and stays on its side',
    async (stage) => {
      const before = stage.web.connections.length;
      stage.web.restart((exchange) => exchange.respond('ok', { fields: 'Connection: close\r\n' }));
      const client = await stage.open();
      const opened = stage.web.connections.length - before;
      const answer = await client.ask(get('/1'));
      checkAnswer(answer, 200, 'ok');
      deepEqual(fieldsOf(answer, 'connection'), []);
      await until('the proxy closes the first', () => stage.web.openCount() === 0, 2_000);
      checkAnswer(await client.ask(get('/2')), 200, 'ok');
      equal(stage.web.connections.length - before - opened, opened === 0 ? 2 : 1);
    },
    { ways: ['whole', 'second'] },
  ),
  row(
    'ka-11',
    '`Connection: close` of the client',
    async (stage) => {
      const client = await stage.open();
      const answer = await client.ask(get('/x', 'Connection: close\r\n'));
      checkAnswer(answer, 200, 'web GET /x');
      deepEqual(fieldsOf(answer, 'connection'), ['close']);
      await client.isOver(2_000);
      equal(client.over(), 'ended');
    },
    { ways: PARSED },
  ),
  row(
    'ka-12',
    'HTTP/1.0: closed after the answer, kept with `Connection: keep-alive`',
    async (stage) => {
      const client = await stage.open();
      checkAnswer(await client.ask(old('/x')), 200, 'web GET /x');
      await client.isOver(2_000);
      const kept = await stage.open();
      const answer = await kept.ask(old('/1', KEEP));
      checkAnswer(answer, 200, 'web GET /1');
      deepEqual(fieldsOf(answer, 'connection'), ['keep-alive']);
      checkAnswer(await kept.ask(old('/2', KEEP)), 200, 'web GET /2');
    },
    { ways: PARSED },
  ),
  surplus(
    'ka-13',
    'a second answer behind the first one is not given to the next request',
    'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\npoisoned',
  ),
  surplus('ka-15', 'bytes past Content-Length are not given to anyone', 'and some more'),
  row(
    'ka-16',
    'an HTTP/1.0 answer without keep-alive is not reused',
    async (stage) => {
      stage.web.restart((exchange) => exchange.send('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'));
      const client = await stage.open();
      const before = stage.web.connections.length;
      checkAnswer(await client.ask(get('/1')), 200, 'ok');
      checkAnswer(await client.ask(get('/2')), 200, 'ok');
      const used = stage.web.connections.filter(({ reader }) =>
        reader.messages.some((message) => message.startLine.includes('/1') || message.startLine.includes('/2')),
      );
      equal(used.length, 2, `two connections of ${before}`);
    },
    { ways: ['whole', 'second'] },
  ),
  row('ka-19', 'a client connection idle for 3 s is usable again', async (stage) => {
    const client = await stage.open();
    checkAnswer(await client.ask(get('/1')), 200, 'web GET /1');
    await pause(3_000);
    equal(client.over(), 'open');
    checkAnswer(await client.ask(get('/2')), 200, 'web GET /2');
  }),
];
