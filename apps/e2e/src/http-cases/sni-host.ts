import { deepEqual, equal, fail } from 'node:assert/strict';
import { type Client, type ConnectOptions, HandshakeRefused } from '../stage/client.ts';
import { fieldOf, targetOf } from '../stage/message.ts';
import { HOST, HOST_B, HOST_NOBODY, HOST_SOLO, HOST_TWIN, type Stage } from '../stage/stage.ts';
import { checkAnswer, checkRefusal, checkRefusedAndClosed, checkRequestCount } from './expect.ts';
import { eachForwarded, forwarded, get, refused } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';

/** Names that no certificate has to prove: the case is about what the server makes of them. */
export const UNCHECKED = { rejectUnauthorized: false } as const;

export async function handshakeRefused(stage: Stage, options: ConnectOptions): Promise<void> {
  const client = await stage.open({ ...UNCHECKED, ...options }).catch((error: unknown) => error);
  if (client instanceof HandshakeRefused) return;
  fail(client instanceof Error ? client : 'the handshake seemed to succeed');
}

export const refusedInHandshake = (id: string, title: string, options: () => ConnectOptions): Row =>
  row(
    id,
    title,
    async (stage) => {
      await handshakeRefused(stage, options());
      stage.nothingArrived();
    },
    { ways: ['whole', 'tls-1.2'] },
  );

export const servedUnder = (id: string, title: string, servername: string, ...hosts: string[]): Row =>
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

export const hostServed = (id: string, title: string, host: string): Row =>
  forwarded(id, title, get('/x', '', host), { target: '/x' }, { ways: [...PARSED, 'tls-1.2'] });
export const hostRefused = (id: string, title: string, host: string): Row =>
  refused(id, title, get('/x', '', host), 400, 'bad_request');

export async function session(stage: Stage, options: ConnectOptions): Promise<{ client: Client; session: Buffer | undefined }> {
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
    equal(client.socket.isSessionReused(), false, 'a full handshake');
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
];
