import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import type { SecureVersion, TLSSocket } from 'node:tls';
import type { ManualClock } from '@sallyport/process/manual-clock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseCidrs } from './cidr.ts';
import { KEEPALIVE_AFTER_MS, TICK_MS } from './limits.ts';
import { type App, answerEach, respond, startApp } from './testing/app.ts';
import { makePair } from './testing/certificate.ts';
import { connectPlain, type RawClient, secure } from './testing/client.ts';
import { hostNamed, type Stage, type StageOptions, startManualStage } from './testing/stage.ts';
import { until } from './testing/until.ts';

const HOST = hostNamed('web');
let app: App;
let stage: Stage<ManualClock>;

beforeEach(async () => {
  app = await startApp(
    answerEach((head) => respond(`served ${/Host: (\S+)/i.exec(head)?.[1]} for ${/X-Forwarded-For: (.+)\r/.exec(head)?.[1]};`)),
  );
});
afterEach(async () => {
  await stage.close();
  await app.close();
});

async function start(options: StageOptions = {}): Promise<void> {
  stage = await startManualStage(options);
  stage.sandbox('s1', { web: app.port, api: app.port });
}

const get = (host: string, fields = ''): string => `GET /x HTTP/1.1\r\nHost: ${host}\r\n${fields}\r\n`;
/** Whether the system asks on the server's side of a connection if the client is still there (`tr` of proc_net_tcp: 2). */
function isProbed(client: RawClient): boolean {
  const hex = (port: number | undefined): string => `:${port?.toString(16).toUpperCase().padStart(4, '0')}`;
  const line = readFileSync('/proc/self/net/tcp', 'utf8')
    .split('\n')
    .map((each) => each.trim().split(/\s+/))
    .find((each) => each[1]?.endsWith(hex(stage.listener.port)) && each[2]?.endsWith(hex(client.socket.localPort)));
  return line?.[5]?.startsWith('02:') === true;
}
const count = (event: string): number => stage.events.filter((seen) => seen === event).length;

describe('the handshake', () => {
  test.each([
    ['no server name', undefined, /MISSING_EXTENSION|missing extension/],
    ['an unknown one of the domain', hostNamed('nobody'), /UNRECOGNIZED_NAME/],
    ['one of another domain', 'example.org', /UNRECOGNIZED_NAME/],
    ['a served one with two dots', `${HOST}..`, /UNRECOGNIZED_NAME/],
  ])('is refused with %s', async (_title, name, alert) => {
    await start();
    await expect(stage.connect(name as string)).rejects.toThrow(alert);
    expect(stage.records).toEqual([]);
    expect(stage.events).toEqual(['accepted', 'name-unknown']);
    await until('closed', () => stage.listener.connectionCount() === 0);
  });

  test.each([
    ['as declared', HOST, HOST],
    ['in capitals', HOST.toUpperCase(), HOST.toUpperCase()],
    ['with a trailing dot', `${HOST}.`, HOST],
  ])('succeeds for a name %s', async (_title, name, host) => {
    await start();
    const client = await stage.connect(name);
    client.send(get(host));
    await client.sees('served');
  });

  test.each<[version: SecureVersion, works: boolean]>([
    ['TLSv1.1', false],
    ['TLSv1.2', true],
    ['TLSv1.3', true],
  ])('%s works: %s', async (version, works) => {
    await start();
    const connected = stage.connect(HOST, { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' });
    if (!works) return expect(connected).rejects.toThrow();
    const client = await connected;
    client.send(get(HOST));
    await client.sees('served');
  });

  test.each<[offered: string[], works: boolean]>([
    [['h2', 'http/1.1'], true],
    [['http/1.1'], true],
    [['h2'], false],
  ])('ALPN %j works: %s', async (ALPNProtocols, works) => {
    await start();
    const connected = stage.connect(HOST, { ALPNProtocols });
    if (works) expect(((await connected).socket as { alpnProtocol?: string }).alpnProtocol).toBe('http/1.1');
    else await expect(connected).rejects.toThrow();
  });

  test.each<SecureVersion>(['TLSv1.2', 'TLSv1.3'])(
    'a session of %s is not resumed, so the server name is always asked for',
    async (version) => {
      await start();
      let session: Buffer = Buffer.alloc(0);
      const first = await stage.connect(HOST, { maxVersion: version });
      first.socket.on('session', (ticket: Buffer) => {
        session = ticket;
      });
      first.send(get(HOST));
      await first.sees('served');
      const second = await stage.connect(HOST, { maxVersion: version, session });
      second.send(get(HOST));
      await second.sees(`served ${HOST}`);
      expect((second.socket as { isSessionReused?: () => boolean }).isSessionReused?.()).toBe(false);
    },
  );

  test('is done once: a client of TLS 1.2 that asks for another one is refused', async () => {
    await start();
    const client = await stage.connect(HOST, { maxVersion: 'TLSv1.2' });
    let refusal: string | undefined;
    (client.socket as TLSSocket).renegotiate({}, (error) => {
      refusal = String(error);
    });
    await until('the refusal', () => refusal !== undefined || client.error() !== undefined);
    expect(`${refusal} ${client.error()}`).toMatch(/NO_RENEGOTIATION/i);
  });

  test('the right Host with another server name is 421, whatever the handshake said', async () => {
    await start();
    const client = await stage.connect(HOST);
    client.send(get(hostNamed('api')));
    await client.sees(' 421 ');
    expect(app.received()).toBe('');
  });

  test('wants a certificate of the configured authority, if there is one', async () => {
    const [ingress, stranger] = [makePair(['ingress.test']), makePair(['ingress.test'])];
    await start({ clientCa: ingress.cert });
    for (const options of [{}, stranger]) {
      const refused = await stage.connect(HOST, options).then(
        async (client) => {
          client.send(get(HOST));
          await client.isOver();
          return client.received() === '';
        },
        () => true,
      );
      expect(refused).toBe(true);
    }
    const client = await stage.connect(HOST, ingress);
    client.send(get(HOST));
    await client.sees('served');
  });
});

describe('what is no TLS', () => {
  test.each([
    ['with a Host and port', 'GET /x HTTP/1.1\r\nHost: web.apps.test:8443\r\n\r\n', 'https://web.apps.test:8443/'],
    ['with a Host', 'GET / HTTP/1.1\r\nHost: web.apps.test\r\n\r\n', 'https://web.apps.test/'],
    ['without', 'GET / HTTP/1.0\r\n\r\n', 'HTTPS'],
    ['with a broken one', 'GET / HTTP/1.1\r\nHost: <script>\r\n\r\n', 'HTTPS'],
  ])('plain HTTP %s gets one 400 that says where to go', async (_title, bytes, sign) => {
    await start();
    const client = connectPlain(stage.listener.port);
    client.send(bytes);
    await client.isOver();
    expect(client.received()).toMatch(/^HTTP\/1\.1 400 [\s\S]*text\/plain/);
    expect(client.received()).toContain(sign);
    expect(client.received()).not.toContain('<script>');
    expect(client.received().match(/HTTP\/1\.1/g)).toHaveLength(1);
    client.socket.end();
    await until('closed', () => stage.listener.connectionCount() === 0);
  });

  test.each([
    ['garbage', Buffer.from([0, 1, 2, 3])],
    ['a version 1 PROXY header in lower case', Buffer.from('proxy TCP4 1.1.1.1 2.2.2.2 1 2\r\n')],
    ['a broken ClientHello', Buffer.from('16030100050100000100', 'hex')],
  ])('%s is closed', async (_title, bytes) => {
    await start();
    const client = connectPlain(stage.listener.port);
    client.send(bytes);
    await client.isOver();
    expect(client.received()).not.toContain('HTTP');
  });
});

describe('who the client is', () => {
  const loopback = (): NonNullable<StageOptions['trusted']> => {
    const set = parseCidrs(['127.0.0.0/8']);
    if (!set.ok) throw new Error(set.error);
    return set.value;
  };
  const proxyHeader = Buffer.from('0d0a0d0a000d0a515549540a2111000ccb0071097f0000010401 01bb'.replaceAll(' ', ''), 'hex');

  async function connectThroughBalancer(): Promise<RawClient> {
    const raw = connectTcp({ port: stage.listener.port, host: '127.0.0.1', allowHalfOpen: true });
    raw.write(proxyHeader);
    return secure(raw, HOST);
  }

  test('is the peer, and what it says of itself is dropped', async () => {
    await start();
    const client = await stage.connect(HOST);
    client.send(get(HOST, 'X-Forwarded-For: 6.6.6.6\r\n'));
    await client.sees('for 127.0.0.1;');
  });

  test('is stated by a trusted ingress; what stands left of it is not believed', async () => {
    await start({ trusted: loopback() });
    const client = await stage.connect(HOST);
    client.send(get(HOST, 'X-Forwarded-For: 6.6.6.6, 203.0.113.9, 127.0.0.7\r\n'));
    await client.sees('for 6.6.6.6, 203.0.113.9, 127.0.0.7, 127.0.0.1;');
    await until('record', () => stage.records.length === 1);
    expect(stage.records).toMatchObject([{ client: '203.0.113.9' }]);
  });

  test('is stated by a trusted balancer, and then its own word is not believed', async () => {
    await start({ trusted: loopback() });
    const client = await connectThroughBalancer();
    client.send(get(HOST, 'X-Forwarded-For: 6.6.6.6\r\n'));
    await client.sees('for 203.0.113.9;');
    client.socket.destroy();
  });

  test.each([1, 5, 12, 16, 27])(
    'a header may stop after %i bytes: others are served meanwhile, and so is what follows',
    async (length) => {
      await start({ trusted: loopback() });
      const raw = connectTcp({ port: stage.listener.port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
      raw.write(proxyHeader.subarray(0, length));
      await until('it is accepted', () => stage.listener.connectionCount() === 1);
      const other = await stage.connect(HOST);
      other.send(get(HOST));
      await other.sees('for 127.0.0.1;');
      raw.write(proxyHeader.subarray(length));
      const client = await secure(raw, HOST);
      client.send(get(HOST));
      await client.sees('for 203.0.113.9;');
      client.socket.destroy();
    },
  );

  test('is never stated by a peer that is not trusted: the connection ends', async () => {
    await start();
    await expect(connectThroughBalancer()).rejects.toThrow();
    expect(count('proxy-header-untrusted')).toBe(1);
  });

  test('has as many exchanges at one time as a client has connections, if an ingress states it', async () => {
    await app.close();
    app = await startApp(() => {});
    await start({ trusted: loopback(), limits: { connectionsPerClientMax: 2 } });
    const ask = async (address: string): Promise<RawClient> => {
      const client = await stage.connect(HOST);
      client.send(get(HOST, `X-Forwarded-For: ${address}\r\nAccept: application/json\r\n`));
      return client;
    };
    const first = [await ask('203.0.113.9'), await ask('203.0.113.9')];
    await until('two there', () => app.connections.length === 2);
    await (await ask('203.0.113.9')).sees('"over_limit"');
    await ask('203.0.113.10');
    await until('another client there', () => app.connections.length === 3);
    first[0]?.reset();
    await until('one gone', () => app.openCount() === 2);
    await ask('203.0.113.9');
    await until('room again', () => app.connections.length === 4);
  });
});

test('after half a minute the system asks whether a client is still there', async () => {
  await start();
  const client = await stage.connect(HOST);
  client.send(get(HOST));
  await client.sees('served');
  stage.clock.advance(KEEPALIVE_AFTER_MS - TICK_MS);
  expect(isProbed(client)).toBe(false);
  stage.clock.advance(2 * TICK_MS);
  expect(isProbed(client)).toBe(true);
});
