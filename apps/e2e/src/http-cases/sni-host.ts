import { deepEqual, equal, fail, notEqual, ok } from 'node:assert/strict';
import { type Client, type ConnectOptions, HandshakeRefused } from '../stage/client.ts';
import { fieldOf, statusOf, targetOf } from '../stage/message.ts';
import { HOST, HOST_B, HOST_NOBODY, HOST_SOLO, HOST_TWIN, type Stage } from '../stage/stage.ts';
import { until } from '../stage/until.ts';
import { checkAnswer, checkRefusal, checkRefusedAndClosed, checkRequestCount } from './expect.ts';
import { eachForwarded, forwarded, get, refused } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';

/** Names that no certificate has to prove: the case is about what the server makes of them. */
const UNCHECKED = { rejectUnauthorized: false } as const;

export async function handshakeRefused(stage: Stage, options: ConnectOptions): Promise<void> {
  const client = await stage.open({ ...UNCHECKED, ...options }).catch((error: unknown) => error);
  if (client instanceof HandshakeRefused) return;
  fail(client instanceof Error ? client : 'the handshake seemed to succeed');
}

const refusedInHandshake = (id: string, title: string, options: () => ConnectOptions): Row =>
  row(
    id,
    title,
    async (stage) => {
      await handshakeRefused(stage, options());
      stage.nothingArrived();
    },
    { ways: ['whole', 'tls-1.2'] },
  );

const servedUnder = (id: string, title: string, servername: string, ...hosts: string[]): Row =>
  row(
    id,
    title,
    async (stage) => {
      const client = await stage.open({ ...UNCHECKED, servername });
      for (const host of hosts) checkAnswer(await client.ask(get('/x', '', host)), 200, 'web GET /x');
      checkRequestCount(stage, hosts.length);
    },
    { ways: ['whole', 'single-bytes', 'tls-1.2'] },
  );

const hostServed = (id: string, title: string, host: string): Row =>
  forwarded(id, title, get('/x', '', host), { target: '/x' }, { ways: [...PARSED, 'tls-1.2'] });
const hostRefused = (id: string, title: string, host: string): Row => refused(id, title, get('/x', '', host), 400, 'bad_request');

async function session(stage: Stage, options: ConnectOptions): Promise<{ client: Client; session: Buffer | undefined }> {
  const client = await stage.open(options);
  let kept: Buffer | undefined;
  client.socket.on('session', (data: Buffer) => {
    kept = data;
  });
  checkAnswer(await client.ask(get('/x')), 200, 'web GET /x');
  return { client, session: kept ?? client.socket.getSession() };
}

export const sniHost: readonly Row[] = [
  refusedInHandshake('sni-01', 'no server name: refused in the handshake', () => ({ servername: '' })),
  refusedInHandshake('sni-02', 'unknown server name: refused in the handshake', () => ({ servername: HOST_NOBODY })),
  refusedInHandshake('sni-03', 'unknown server name and the same unknown Host: refused in the handshake', () => ({
    servername: HOST_NOBODY,
  })),
  servedUnder('sni-06', 'server name and Host in capitals', HOST.toUpperCase(), HOST.toUpperCase(), HOST),
  servedUnder('sni-07', 'one trailing dot in the server name', `${HOST}.`, HOST),
  hostServed('sni-09', 'one trailing dot in Host', `${HOST}.`),
  hostRefused('sni-10', 'two trailing dots in Host: 400', `${HOST}..`),
  hostServed('sni-11', 'a port in Host does not matter', `${HOST}:8443`),
  hostRefused('sni-14', 'an empty port in Host: 400', `${HOST}:`),
  hostRefused('sni-15', 'two colons in Host: 400', `${HOST}:80:90`),
  hostRefused('sni-19', 'an empty Host: 400', ''),
  hostRefused('sni-20', 'two names in one Host field: 400', `${HOST}, ${HOST}`),
  refused(
    'sni-24',
    'two different Host fields: 400',
    get('/x', 'X-A: 1\r\nX-B: 2\r\nHost: other.example\r\n'),
    400,
    'bad_request',
  ),
  refused('sni-25', 'the same Host twice: 400', get('/x', `Host: ${HOST}\r\n`), 400, 'bad_request'),
  refused('sni-27', 'HTTP/1.1 without Host: 400', 'GET /x HTTP/1.1\r\nAccept: */*\r\n\r\n', 400, 'bad_request'),
  row(
    'sni-29',
    'SNI of one service, Host of another one: 421',
    async (stage) => {
      const client = await stage.open();
      checkRefusal(await client.ask(get('/x', '', HOST_B)), 421, 'host_mismatch');
      stage.nothingArrived();
    },
    { ways: [...PARSED, 'tls-1.2'] },
  ),
  row(
    'sni-30',
    'SNI of a service, Host that nobody has: 404, never 421',
    async (stage) => {
      const client = await stage.open();
      checkRefusal(await client.ask(get('/x', '', HOST_NOBODY)), 404, 'route_unknown');
      stage.nothingArrived();
    },
    { ways: PARSED },
  ),
  row(
    'sni-31',
    'the second request of a connection names another service: 421',
    async (stage) => {
      const client = await stage.open();
      checkAnswer(await client.ask(get('/x')), 200, 'web GET /x');
      checkRefusal(await client.ask(get('/x', '', HOST_B)), 421, 'host_mismatch');
      checkRequestCount(stage, 1, 0);
    },
    { ways: PARSED },
  ),
  row(
    'sni-32',
    'A, then a mismatch, then A again on one connection: 200, 421, 200',
    async (stage) => {
      const client = await stage.open();
      checkAnswer(await client.ask(get('/1')), 200, 'web GET /1');
      checkRefusal(await client.ask(get('/2', '', HOST_B)), 421, 'host_mismatch');
      checkAnswer(await client.ask(get('/3')), 200, 'web GET /3');
      deepEqual(stage.web.requests().map(targetOf), ['/1', '/3']);
    },
    { ways: PARSED },
  ),
  row(
    'sni-34',
    'two services of one sandbox, an unnamed one, two sandboxes: each host its own application',
    async (stage) => {
      const apps = [
        [HOST, stage.web],
        [HOST_B, stage.api],
        [HOST_SOLO, stage.solo],
        [HOST_TWIN, stage.web],
      ] as const;
      for (const [host, app] of apps) {
        const client = await stage.open({ servername: host });
        checkAnswer(await client.ask(get('/x', '', host)), 200, `${app.name} GET /x`);
        equal(fieldOf(app.requests().at(-1) ?? fail(), 'host'), host);
      }
    },
    { ways: ['whole', 'single-bytes', 'tls-1.2'] },
  ),
  row('sni-35', 'TLS 1.2, second connection with the session of the first', async (stage) => {
    const first = await session(stage, { maxVersion: 'TLSv1.2' });
    first.client.close();
    const client = await stage.open({ maxVersion: 'TLSv1.2', session: first.session });
    checkAnswer(await client.ask(get('/again')), 200, 'web GET /again');
  }),
  row('sni-36', 'TLS 1.3 ticket of one service presented for another one', async (stage) => {
    const first = await session(stage, { minVersion: 'TLSv1.3' });
    const client = await stage.open({ servername: HOST_B, minVersion: 'TLSv1.3', session: first.session });
    equal(client.socket.isSessionReused(), false, 'nothing is resumed');
    checkAnswer(await client.ask(get('/x', '', HOST_B)), 200, 'api GET /x');
    checkRefusal(await client.ask(get('/x', '', HOST)), 421, 'host_mismatch');
    checkRequestCount(stage, 1, 1);
  }),
  row(
    'sni-39',
    'ALPN: h2 is not chosen',
    async (stage) => {
      const client = await stage.open({ ALPNProtocols: ['h2', 'http/1.1'] });
      equal(client.socket.alpnProtocol, 'http/1.1');
      checkAnswer(await client.ask(get('/x')), 200, 'web GET /x');
      await handshakeRefused(stage, { servername: HOST, ALPNProtocols: ['h2'] });
      checkRequestCount(stage, 1);
    },
    { ways: ['whole', 'tls-1.2'] },
  ),
  row('sni-40', 'TLS 1.1 is refused, 1.2 and 1.3 work', async (stage) => {
    // OpenSSL offers so old a version only at its lowest level of security.
    await handshakeRefused(stage, {
      servername: HOST,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    stage.nothingArrived();
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const client = await stage.open({ minVersion: version, maxVersion: version });
      equal(client.socket.getProtocol(), version);
      checkAnswer(await client.ask(get('/x')), 200, 'web GET /x');
    }
  }),
  row(
    'sni-42',
    'absolute-form target whose authority is another name: 400',
    async (stage) => {
      for (const authority of [HOST_B, HOST_NOBODY]) {
        const client = await stage.open();
        const answer = await client.ask(get(`https://${authority}/x`));
        await checkRefusedAndClosed(client, answer, 400, 'bad_request');
        stage.nothingArrived();
      }
    },
    { ways: PARSED },
  ),
  eachForwarded('sni-44', 'absolute-form target that agrees with SNI and Host: forwarded in origin form', [
    [get(`https://${HOST}/x?y=1`), { target: '/x?y=1' }],
    [get(`http://${HOST}/x?y=1`), { target: '/x?y=1' }],
  ]),

  // Neighbours
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
