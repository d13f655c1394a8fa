import { deepEqual, equal, ok } from 'node:assert/strict';
import { HandshakeRefused } from '../stage/client.ts';
import { fieldsOf, statusOf, targetOf } from '../stage/message.ts';
import { HOST, HOST_B, HOST_DEAD } from '../stage/stage.ts';
import { until } from '../stage/until.ts';
import { checkAnswer, checkRefusal, checkSeen } from './expect.ts';
import { get, post } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';
import { acceptAll, handshake } from './tunnel-makers.ts';

/** What changes under an open connection: routes, instances, standing. */
export const moreChanges: readonly Row[] = [
  row(
    'err-n14',
    'a route that is withdrawn while its application is being dialled',
    async (stage) => {
      const client = await stage.open({ servername: HOST_DEAD });
      client.send(get('/x', '', HOST_DEAD));
      await until('it is under way', () => stage.sandboxes.dead.instance.counters().liveStreamCount === 1);
      stage.sandboxes.dead.serve({});
      checkRefusal(await client.answer(), 404, 'route_withdrawn');
      stage.sandboxes.dead.serve({ web: stage.deadPort });
      checkRefusal(await client.ask(get('/x', '', HOST_DEAD)), 502, 'app_unreachable');
    },
    { ways: ['whole', 'tls-1.2'] },
  ),
  row('err-n15', 'the client leaves while its application is being dialled', async (stage) => {
    const client = await stage.open({ servername: HOST_DEAD });
    client.send(get('/x', '', HOST_DEAD));
    await until('it is under way', () => stage.sandboxes.dead.instance.counters().liveStreamCount === 1);
    client.reset();
    await until('it is given up', () => stage.sandboxes.dead.instance.counters().liveStreamCount === 0, 1_700);
  }),
  row(
    'err-n16',
    'each exchange leaves one record, whatever became of it',
    async (stage) => {
      const client = await stage.open();
      const before = stage.supervisor.records.length;
      stage.web.restart((exchange) => (exchange.target === '/bad' ? exchange.end('NONSENSE') : exchange.respond('ok')));
      await client.ask(get('/good'));
      await client.ask(get('/bad'));
      await client.ask(get('/x', '', HOST_B));
      await client.ask(get('*'));
      await until('all are recorded', () => stage.supervisor.records.length >= before + 4);
      deepEqual(
        stage.supervisor.records.slice(before).map(({ status, ending, code, path }) => [status, ending, code, path]),
        [
          [200, 'complete', undefined, '/good'],
          [502, 'refused', 'app_protocol', '/bad'],
          [421, 'refused', 'host_mismatch', '/x'],
          [400, 'refused', 'bad_request', '*'],
        ],
      );
    },
    { ways: PARSED },
  ),
  row(
    'iso-n05',
    'an instance that stops closes its idle connections, and its host is refused in the handshake',
    async (stage) => {
      const client = await stage.open();
      checkAnswer(await client.ask(get('/x')), 200);
      stage.sandboxes.twin.instance.stop('stopped');
      await stage.open({ servername: 'team--twin--web.apps.test' }).then(
        () => ok(false, 'the handshake seemed to succeed'),
        (error: unknown) => ok(error instanceof HandshakeRefused),
      );
      checkAnswer(await client.ask(get('/x')), 200);
    },
  ),
  row('iso-n06', 'a host that comes back with another instance is served on the connection that is open', async (stage) => {
    const client = await stage.open();
    client.send(get('/x').slice(0, -2));
    stage.sandboxes.case.serve({ api: stage.api.port });
    stage.supervisor.sandbox('case', { web: stage.solo.port });
    client.send('\r\n');
    checkAnswer(await client.answer(), 200, 'solo GET /x');
    stage.supervisor.instances.all().at(-1)?.stop('stopped');
    stage.sandboxes.case.serve({ web: stage.web.port, api: stage.api.port });
  }),
  row('sni-n28', 'renegotiation in TLS 1.2 does not move a connection to another service', async (stage) => {
    const client = await stage.open({ maxVersion: 'TLSv1.2' });
    checkAnswer(await client.ask(get('/1')), 200, 'web GET /1');
    client.socket.renegotiate({}, () => {});
    const answer = await client.ask(get('/2', '', HOST_B)).catch(() => undefined);
    // Refused, or the connection did not survive the attempt.
    if (answer !== undefined) checkRefusal(answer, 421, 'host_mismatch');
    equal(stage.api.requests().length, 0);
  }),
  row(
    'sni-n29',
    'ALPN: http/1.1 alone, none at all, and only what nobody speaks',
    async (stage) => {
      for (const offer of [['http/1.1'], undefined]) {
        const client = await stage.open(offer === undefined ? {} : { ALPNProtocols: offer });
        checkAnswer(await client.ask(get('/x')), 200, 'web GET /x');
      }
      for (const offer of [['http/1.0'], ['spdy/3', 'h3']]) {
        const refused = await stage.open({ ALPNProtocols: offer }).catch((error: unknown) => error);
        ok(refused instanceof HandshakeRefused);
      }
    },
    { ways: ['whole', 'tls-1.2'] },
  ),
  row(
    'hop-n23',
    'a POST behind a trusted-looking chain of proxies: nothing of it is believed',
    async (stage) => {
      const client = await stage.open();
      checkAnswer(
        await client.ask(post('/x', 'hello', 'X-Forwarded-For: 10.0.0.1, 127.0.0.1\r\nVia: 1.1 x\r\nX-Forwarded-For: ::1\r\n')),
        200,
      );
      const [request] = stage.web.requests();
      deepEqual(request === undefined ? [] : fieldsOf(request, 'x-forwarded-for'), ['127.0.0.1']);
      checkSeen(request, { body: 'hello', has: [['Via', '1.1 x']] });
      equal(targetOf(request as never), '/x');
    },
    { ways: PARSED },
  ),
  row(
    'ws-n32',
    'a tunnel that is withdrawn: both sockets are closed at once',
    async (stage) => {
      stage.web.restart(acceptAll);
      const client = await stage.open();
      equal(statusOf(await client.ask(handshake())), 101);
      stage.sandboxes.case.serve({ api: stage.api.port });
      await client.isOver(1_000);
      await until('the application is left', () => stage.web.openCount() === 0, 1_000);
      stage.sandboxes.case.serve({ web: stage.web.port, api: stage.api.port });
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  row(
    'body-n33',
    'a stream that is withdrawn is reset, in every framing',
    async (stage) => {
      for (const head of [
        'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf',
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n',
        'HTTP/1.1 200 OK\r\n\r\nhalf',
      ]) {
        stage.web.restart((exchange) => exchange.send(head));
        const client = await stage.open();
        const before = client.messages.length;
        client.send(`GET /x HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`);
        await until('it begins', () => client.messages[before]?.body() === 'half');
        stage.sandboxes.case.serve({ api: stage.api.port });
        await client.isOver(1_000);
        equal(client.over(), 'reset');
        equal(client.messages[before]?.state, 'unfinished');
        stage.sandboxes.case.serve({ web: stage.web.port, api: stage.api.port });
      }
    },
    { ways: ['whole', 'tls-1.2'] },
  ),
  row(
    'body-n34',
    'a service that is no longer fresh forwards not one chunk more',
    async (stage) => {
      let exchangeSend = (_bytes: string): void => {};
      stage.web.restart((exchange) => {
        exchangeSend = exchange.send;
        exchange.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n');
      });
      const client = await stage.open();
      const before = client.messages.length;
      client.send(get('/x'));
      await until('it begins', () => client.messages[before]?.body() === 'half');
      stage.sandboxes.case.stand({ acknowledged: false });
      exchangeSend('5\r\nworse\r\n0\r\n\r\n');
      await client.isOver(1_700);
      equal(client.messages[before]?.body(), 'half');
      stage.sandboxes.case.stand({ acknowledged: true });
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
];
