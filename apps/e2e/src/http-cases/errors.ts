import { deepEqual, equal, ok } from 'node:assert/strict';
import { livelyMs } from '@sallyport/process/lively';
import { startApp } from '../stage/app.ts';
import { fieldOf, type Message } from '../stage/message.ts';
import { HOST_B, HOST_DEAD, type Stage } from '../stage/stage.ts';
import { pause } from '../stage/until.ts';
import { checkAnswer, checkRefusal } from './expect.ts';
import { framed, get, refused } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';

export const BROWSER = 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n';
export const JSON_ONLY = 'Accept: application/json\r\n';
export const INNER = /127\.0\.0\.1|localhost|::1|ECONN|node:|\.ts\b|stack|sandbox/i;

export async function askDead(stage: Stage, bytes: string, method?: string): Promise<Message> {
  const client = await stage.open({ servername: HOST_DEAD });
  const sentAt = livelyMs();
  const answer = await client.ask(bytes, method);
  ok(livelyMs() - sentAt < 3_000, 'within 3 s');
  checkRefusal(answer, 502, 'app_unreachable');
  ok(!INNER.test(answer.body()), answer.body());
  ok(!answer.body().includes(String(stage.deadPort)));
  return answer;
}

export const unreachable = (id: string, title: string, fields: string, check: (answer: Message) => void, target = '/x'): Row =>
  row(id, title, async (stage) => check(await askDead(stage, get(target, fields, HOST_DEAD))), {
    ways: ['whole', 'single-bytes', 'tls-1.2'],
  });
export const isJson = (answer: Message): void => {
  ok(fieldOf(answer, 'content-type')?.startsWith('application/json'));
  const { message, ...shown } = JSON.parse(answer.body());
  deepEqual(shown, { code: 'app_unreachable', host: HOST_DEAD, retryable: true });
  equal(typeof message, 'string');
};

export const errors: readonly Row[] = [
  unreachable('err-01', 'nothing listens: 502 app_unreachable, JSON', JSON_ONLY, isJson),
  unreachable('err-02', 'nothing listens: a page for browsers that tries again by itself', BROWSER, (answer) => {
    ok(fieldOf(answer, 'content-type')?.startsWith('text/html'));
    ok(/http-equiv="refresh"/.test(answer.body()));
  }),
  row('err-03', 'a script or image request gets no HTML', async (stage) => {
    for (const fields of ['Accept: */*\r\n', '']) isJson(await askDead(stage, get('/assets/x.js', fields, HOST_DEAD)));
  }),
  row(
    'err-05',
    'host_mismatch as JSON, and the connection afterwards',
    async (stage) => {
      const client = await stage.open();
      const answer = await client.ask(get('/x', JSON_ONLY, HOST_B));
      checkRefusal(answer, 421, 'host_mismatch');
      equal(typeof JSON.parse(answer.body()).retryable, 'boolean');
      checkAnswer(await client.ask(get('/x')), 200, 'web GET /x');
    },
    { ways: PARSED },
  ),
  refused(
    'err-07',
    'bad_request from the parser carries the code too',
    framed('Content-Length: abc\r\n', '', 'GET'),
    400,
    'bad_request',
  ),
  refused('err-08', 'headers_too_large carries its code', get('/x', `X: ${'x'.repeat(200_000)}\r\n`), 431, 'headers_too_large', {
    ways: ['whole', 'second', 'tls-1.2'],
  }),
  row(
    'err-09',
    'app_protocol is told apart from app_unreachable',
    async (stage) => {
      stage.web.restart((exchange) => exchange.end('NONSENSE\r\n\r\n'));
      const client = await stage.open();
      checkRefusal(await client.ask(get('/x')), 502, 'app_protocol');
      await askDead(stage, get('/x', '', HOST_DEAD));
    },
    { ways: PARSED },
  ),
  row(
    'err-10',
    'an error answer to HEAD has no body',
    async (stage) => {
      const client = await stage.open({ servername: HOST_DEAD });
      const head = await client.ask(get('/x', '', HOST_DEAD).replace('GET', 'HEAD'));
      checkRefusal(head, 502, 'app_unreachable');
      equal(head.bodyBytes, 0);
      isJson(await client.ask(get('/x', '', HOST_DEAD)));
      equal(client.fault(), undefined);
    },
    { ways: ['whole', 'single-bytes'] },
  ),
  row(
    'err-12',
    'upload of 3 MB to an application that does not listen',
    async (stage) => {
      const client = await stage.open({ servername: HOST_DEAD });
      const sentAt = livelyMs();
      client.send(`POST /x HTTP/1.1\r\nHost: ${HOST_DEAD}\r\nContent-Length: 3000000\r\n\r\n`);
      client.write(Buffer.alloc(3_000_000, 'x'));
      checkRefusal(await client.answer(), 502, 'app_unreachable');
      ok(livelyMs() - sentAt < 5_000);
    },
    { ways: ['whole', 'tls-1.2'] },
  ),
  row('err-15', 'the proxy does not stop trying: 502 ten times, and 200 once the application listens', async (stage) => {
    for (let n = 0; n < 10; n++) {
      await askDead(stage, get('/x', '', HOST_DEAD));
      await pause(100);
    }
    const late = await startApp('late', stage.deadPort);
    const client = await stage.open({ servername: HOST_DEAD });
    checkAnswer(await client.ask(get('/x', '', HOST_DEAD)), 200, 'late GET /x');
    client.close();
    await late.close();
  }),
];
