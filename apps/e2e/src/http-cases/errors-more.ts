import { equal, ok } from 'node:assert/strict';
import { fieldOf, statusOf } from '../stage/message.ts';
import { HOST_B, HOST_DEAD } from '../stage/stage.ts';
import { until } from '../stage/until.ts';
import { askDead, BROWSER, isJson, unreachable } from './errors.ts';
import { checkAnswer, checkRefusal, checkRefusedAndClosed } from './expect.ts';
import { framed, get } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';

/** Neighbours: every code of our own, for HEAD, for HTTP/1.0, for browsers, with the connection in step after it. */
export const errorsMore: readonly Row[] = [
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
