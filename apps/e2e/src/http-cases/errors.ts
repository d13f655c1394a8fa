import { deepEqual, equal, ok } from 'node:assert/strict';
import { startApp } from '../stage/app.ts';
import { fieldOf, type Message, statusOf } from '../stage/message.ts';
import { HOST_B, HOST_DEAD, type Stage } from '../stage/stage.ts';
import { livelyMs, pause, until } from '../stage/until.ts';
import { checkAnswer, checkRefusal, checkRefusedAndClosed } from './expect.ts';
import { framed, get, refused } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';

const BROWSER = 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n';
const JSON_ONLY = 'Accept: application/json\r\n';
const INNER = /127\.0\.0\.1|localhost|::1|ECONN|node:|\.ts\b|stack|sandbox/i;

async function askDead(stage: Stage, bytes: string, method?: string): Promise<Message> {
  const client = await stage.open({ servername: HOST_DEAD });
  const sentAt = livelyMs();
  const answer = await client.ask(bytes, method);
  ok(livelyMs() - sentAt < 3_000, 'within 3 s');
  checkRefusal(answer, 502, 'app_unreachable');
  ok(!INNER.test(answer.body()), answer.body());
  ok(!answer.body().includes(String(stage.deadPort)));
  return answer;
}

const unreachable = (id: string, title: string, fields: string, check: (answer: Message) => void, target = '/x'): Row =>
  row(id, title, async (stage) => check(await askDead(stage, get(target, fields, HOST_DEAD))), {
    ways: ['whole', 'single-bytes', 'tls-1.2'],
  });
const isJson = (answer: Message): void => {
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

  // Neighbours: every code of our own, for HEAD, for HTTP/1.0, for browsers, with the connection in step after it
  unreachable('err-n01', 'text/html with q=0 is no browser', 'Accept: text/html;q=0, */*\r\n', isJson),
  unreachable(
    'err-n02',
    'text/html in a second Accept field is a browser',
    'Accept: image/png\r\nAccept: TEXT/HTML\r\n',
    (answer) => ok(fieldOf(answer, 'content-type')?.startsWith('text/html')),
  ),
  row('err-n03', 'markup in what a client sends does not reach the page', async (stage) => {
    const answer = await askDead(stage, get('/<script>alert(1)</script>', `${BROWSER}X: <b>\r\n`, HOST_DEAD));
    ok(!/alert|<b>/.test(answer.body()));
  }),
  row(
    'err-n04',
    'our own answers to HEAD: 421, 404, 405 and a malformed handshake have no body',
    async (stage) => {
      for (const [bytes, status] of [
        [get('/x', '', HOST_B), 421],
        [get('/x', '', 'nobody.apps.test'), 404],
        [get('*'), 400],
      ] as const) {
        const client = await stage.open();
        const answer = await client.ask(bytes.replace('GET', 'HEAD'));
        equal(statusOf(answer), status);
        equal(answer.bodyBytes, 0);
        if (status !== 400) checkAnswer(await client.ask(get('/x')), 200, 'web GET /x');
        equal(client.fault(), undefined);
      }
    },
    { ways: PARSED },
  ),
  row(
    'err-n05',
    'a refusal in HTTP/1.0: closed, or kept where it was asked for',
    async (stage) => {
      const client = await stage.open();
      checkRefusal(await client.ask(`GET /x HTTP/1.0\r\nHost: ${HOST_B}\r\n\r\n`), 421, 'host_mismatch');
      await client.isOver(2_000);
      const kept = await stage.open();
      checkRefusal(await kept.ask(`GET /x HTTP/1.0\r\nHost: ${HOST_B}\r\nConnection: keep-alive\r\n\r\n`), 421, 'host_mismatch');
      checkAnswer(await kept.ask(get('/x')), 200, 'web GET /x');
    },
    { ways: PARSED },
  ),
  row('err-n06', 'withdrawn, not fresh, lease expired, draining: each its own code', async (stage) => {
    const client = await stage.open();
    const { case: sandbox } = stage.sandboxes;
    sandbox.stand({ acknowledged: false });
    checkRefusal(await client.ask(get('/x')), 503, 'not_fresh');
    sandbox.stand({ acknowledged: true, mode: 'shared' });
    const expired = await client.ask(get('/x'));
    checkRefusal(expired, 503, 'lease_expired');
    ok(Number(fieldOf(expired, 'retry-after')) > 0);
    sandbox.stand({ mode: 'dedicated' });
    sandbox.serve({ api: stage.api.port });
    checkRefusal(await client.ask(get('/x')), 404, 'route_withdrawn');
    sandbox.serve({ web: stage.web.port, api: stage.api.port });
    checkAnswer(await client.ask(get('/x')), 200, 'web GET /x');
    equal(stage.web.requests().length, 1);
  }),
  row('err-n07', 'a released instance answers draining and lets the connection go', async (stage) => {
    const client = await stage.open();
    client.send(get('/x').slice(0, -2));
    stage.sandboxes.case.stand({ released: true });
    client.send('\r\n');
    await checkRefusedAndClosed(client, await client.answer(), 503, 'draining');
    stage.sandboxes.case.stand({ released: false });
    stage.nothingArrived();
  }),
  row(
    'err-n08',
    'no answer in time: 504 app_timeout',
    async (stage) => {
      stage.web.restart(() => {});
      const client = await stage.open();
      checkRefusal(await client.ask(get('/x')), 504, 'app_timeout');
    },
    { limits: { firstByteMs: 300 } },
  ),
  row(
    'err-n09',
    'too slow a head: 408 head_timeout',
    async (stage) => {
      const client = await stage.open();
      client.send(get('/x').slice(0, -1));
      await checkRefusedAndClosed(client, await client.answer(), 408, 'head_timeout');
      stage.nothingArrived();
    },
    { limits: { headMs: 300 } },
  ),
  row(
    'err-n10',
    'one stream too many: 503 over_limit, and the connection lives',
    async (stage) => {
      stage.web.restart((exchange) => (exchange.target === '/hold' ? undefined : exchange.respond('ok')));
      const [first, second] = [await stage.open(), await stage.open()];
      first.send(get('/hold'));
      await until('it is held', () => stage.web.requests().length === 1);
      checkRefusal(await second.ask(get('/x')), 503, 'over_limit');
      first.reset();
      await until('it is let go', () => stage.sandboxes.case.instance.counters().liveStreamCount === 0);
      checkAnswer(await second.ask(get('/x')), 200, 'ok');
    },
    { limits: { streamsPerRouteMax: 1 } },
  ),
  row('err-n11', 'an answer of our own names the public host, whatever Host was spelt like', async (stage) => {
    const client = await stage.open({ servername: HOST_DEAD });
    const answer = await client.ask(get('/x', '', `${HOST_DEAD.toUpperCase()}.:99`));
    checkRefusal(answer, 502, 'app_unreachable');
    equal(JSON.parse(answer.body()).host, HOST_DEAD);
  }),
  row(
    'err-n12',
    'upload of 3 MB that is refused for its Host: the client reads the whole 421',
    async (stage) => {
      const client = await stage.open();
      client.send(`POST /x HTTP/1.1\r\nHost: ${HOST_B}\r\nContent-Length: 3000000\r\n\r\n`);
      client.write(Buffer.alloc(3_000_000, 'x'));
      checkRefusal(await client.answer(), 421, 'host_mismatch');
      await client.isOver(8_000);
      stage.nothingArrived();
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  row(
    'err-n13',
    'upload of 3 MB behind an unreadable head: the client reads the whole 400',
    async (stage) => {
      const client = await stage.open();
      client.send(framed('Content-Length: 3000000\r\nContent-Length: 3000000\r\n'));
      client.write(Buffer.alloc(3_000_000, 'x'));
      checkRefusal(await client.answer(), 400, 'bad_request');
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
];
