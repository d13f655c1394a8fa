import { equal, notEqual, ok } from 'node:assert/strict';
import { statusOf } from '../stage/message.ts';
import { HOST, HOST_B, HOST_NOBODY, HOST_SOLO, HOST_TWIN } from '../stage/stage.ts';
import { until } from '../stage/until.ts';
import { checkAnswer, checkRefusal, checkRequestCount } from './expect.ts';
import { get, refused } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';
import { handshakeRefused, hostRefused, hostServed, refusedInHandshake, session } from './sni-host.ts';

/** Neighbours of the section. */
export const sniHostMore: readonly Row[] = [
  refusedInHandshake('sni-n01', 'a name of another domain', () => ({ servername: 'team--case--web.other.test' })),
  refusedInHandshake('sni-n02', 'the bare domain', () => ({ servername: 'apps.test' })),
  refusedInHandshake('sni-n03', 'a served name one label deeper', () => ({ servername: `www.${HOST}` })),
  refusedInHandshake('sni-n04', 'a served name that ends in two dots', () => ({ servername: `${HOST}..` })),
  refusedInHandshake('sni-n05', 'a served name with its beginning cut off', () => ({ servername: HOST.slice(1) })),
  row('sni-n06', 'TLS 1.2 session of one service presented for another one', async (stage) => {
    const first = await session(stage, { maxVersion: 'TLSv1.2' });
    const client = await stage.open({ servername: HOST_B, maxVersion: 'TLSv1.2', session: first.session });
    equal(client.socket.isSessionReused(), false);
    checkAnswer(await client.ask(get('/x', '', HOST_B)), 200, 'api GET /x');
    checkRefusal(await client.ask(get('/x', '', HOST)), 421, 'host_mismatch');
  }),
  row('sni-n07', 'a ticket is worth nothing for a name that nobody serves', async (stage) => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const first = await session(stage, { minVersion: version, maxVersion: version });
      await handshakeRefused(stage, { servername: HOST_NOBODY, maxVersion: version, session: first.session });
      await handshakeRefused(stage, { servername: '', maxVersion: version, session: first.session });
    }
  }),
  row('sni-n08', 'a ticket is worth nothing after the service was withdrawn', async (stage) => {
    const first = await session(stage, { minVersion: 'TLSv1.3' });
    stage.sandboxes.case.serve({ api: stage.api.port });
    const client = await stage.open({ minVersion: 'TLSv1.3', session: first.session });
    checkRefusal(await client.ask(get('/x')), 404, 'route_withdrawn');
    stage.sandboxes.case.serve({ web: stage.web.port, api: stage.api.port });
    checkRequestCount(stage, 1);
  }),
  row(
    'sni-n09',
    'Host of the same application port in another sandbox: 421',
    async (stage) => {
      const client = await stage.open();
      checkRefusal(await client.ask(get('/x', '', HOST_TWIN)), 421, 'host_mismatch');
      stage.nothingArrived();
    },
    { ways: PARSED },
  ),
  row(
    'sni-n10',
    'a mismatch that is pipelined behind a good request, and a good one behind it',
    async (stage) => {
      const client = await stage.open();
      client.send(get('/1') + get('/2', '', HOST_B) + get('/3'));
      checkAnswer(await client.answer(), 200, 'web GET /1');
      checkRefusal(await client.answer(), 421, 'host_mismatch');
      checkAnswer(await client.answer(), 200, 'web GET /3');
      checkRequestCount(stage, 2, 0);
    },
    { ways: PARSED },
  ),
  row(
    'sni-n11',
    'a mismatch with a body: the body is no request',
    async (stage) => {
      const body = get('/SMUGGLED-T', '', HOST);
      const client = await stage.open();
      checkRefusal(
        await client.ask(`POST /x HTTP/1.1\r\nHost: ${HOST_B}\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
        421,
        'host_mismatch',
      );
      stage.nothingArrived();
    },
    { ways: PARSED },
  ),
  row(
    'sni-n12',
    'a WebSocket handshake with the Host of another service: 421',
    async (stage) => {
      const client = await stage.open();
      const fields =
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
      checkRefusal(await client.ask(get('/x', fields, HOST_B)), 421, 'host_mismatch');
      stage.nothingArrived();
    },
    { ways: PARSED },
  ),
  hostRefused('sni-n13', 'user information in Host', `user@${HOST}`),
  hostRefused('sni-n14', 'a path in Host', `${HOST}/x`),
  hostRefused('sni-n15', 'a blank inside Host', `${HOST} x`),
  hostRefused('sni-n16', 'a port above 65535', `${HOST}:65536`),
  hostRefused('sni-n17', 'a port that is a word', `${HOST}:https`),
  hostRefused('sni-n18', 'a percent escape in Host', HOST.replace('w', '%77')),
  hostRefused('sni-n19', 'a Host of one dot', '.'),
  hostRefused('sni-n20', 'a Host that begins with a dot', `.${HOST}`),
  hostServed('sni-n21', 'a trailing dot and a port together', `${HOST}.:443`),
  hostServed('sni-n22', 'blanks around Host', ` \t${HOST} \t`),
  refused('sni-n23', 'HTTP/1.0 without Host: nobody knows whose service is meant', 'GET /x HTTP/1.0\r\n\r\n', 400, 'bad_request'),
  refused('sni-n24', 'the second Host has a name in other letters', get('/x', `hOST: ${HOST}\r\n`), 400, 'bad_request'),
  row(
    'sni-n25',
    'an IP address as Host: 404',
    async (stage) => {
      for (const host of ['127.0.0.1', '[::1]', '127.0.0.1:8443']) {
        const client = await stage.open();
        checkRefusal(await client.ask(get('/x', '', host)), 404, 'route_unknown');
      }
      stage.nothingArrived();
    },
    { ways: PARSED },
  ),
  row(
    'sni-n26',
    'plain HTTP on the TLS port: one 400 that names the https URL',
    async (stage) => {
      const { connect } = await import('node:net');
      const socket = connect({ host: '127.0.0.1', port: stage.supervisor.listener.port, noDelay: true });
      let text = '';
      let ended = false;
      socket.setEncoding('latin1').on('data', (chunk) => {
        text += chunk;
      });
      socket.on('end', () => {
        ended = true;
      });
      if (stage.way === 'single-bytes') for (const byte of get('/x')) socket.write(byte);
      else socket.write(get('/x'));
      await until('the plain answer', () => ended);
      socket.destroy();
      ok(text.startsWith('HTTP/1.1 400 '), text);
      ok(text.includes(`https://${HOST}/`), text);
      notEqual(text.indexOf('text/plain'), -1);
      stage.nothingArrived();
    },
    { ways: ['whole', 'single-bytes'] },
  ),
  row('sni-n27', 'both versions, each service, one after the other on fresh connections', async (stage) => {
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      for (const [host, app] of [
        [HOST, 'web'],
        [HOST_B, 'api'],
        [HOST_SOLO, 'solo'],
      ] as const) {
        const client = await stage.open({ servername: host, maxVersion });
        equal(statusOf(await client.ask(get('/x', '', host))), 200);
        equal(client.messages.at(-1)?.body(), `${app} GET /x`);
      }
    }
  }),
];
