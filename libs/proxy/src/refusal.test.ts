import { createServer } from 'node:net';
import { LONG_AGO, later } from '@sallyport/model';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type App, answerEach, respond, startApp } from './testing/app.ts';
import { hostNamed, type Stage, startStage, type TestSandbox } from './testing/stage.ts';
import { until } from './testing/until.ts';

const HOST = hostNamed('web');
let stage: Stage;
let app: App;
let sandbox: TestSandbox;

beforeEach(async () => {
  stage = await startStage();
  app = await startApp(answerEach((head) => respond(`served ${head.split(' ')[1]}`)));
  sandbox = stage.sandbox('s1', { web: app.port, api: app.port });
});
afterEach(async () => {
  await stage.close();
  await app.close();
});

const json = 'Accept: application/json\r\n';
const SMUGGLED = 'GET /SMUGGLED HTTP/1.1\r\nHost: web.apps.test\r\n\r\n';

describe('a request is refused before anything reaches the application', () => {
  const rows: [title: string, bytes: string, status: number, code: string][] = [
    [
      'two framings',
      `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
      400,
      'bad_request',
    ],
    [
      'an unknown coding',
      `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      501,
      'coding_refused',
    ],
    ['no Host', 'GET /x HTTP/1.1\r\n\r\n', 400, 'bad_request'],
    ['two Hosts', `GET /x HTTP/1.1\r\nHost: ${HOST}\r\nHost: ${HOST}\r\n\r\n`, 400, 'bad_request'],
    ['two colons in Host', `GET /x HTTP/1.1\r\nHost: ${HOST}:80:90\r\n\r\n`, 400, 'bad_request'],
    ['CONNECT', `CONNECT ${HOST}:443 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`, 405, 'method_refused'],
    ['another version', `GET /x HTTP/9.9\r\nHost: ${HOST}\r\n\r\n`, 505, 'version_refused'],
    ['a long field', `GET /x HTTP/1.1\r\nHost: ${HOST}\r\nX: ${'a'.repeat(200_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['many fields', `GET /x HTTP/1.1\r\nHost: ${HOST}\r\n${'a: 1\r\n'.repeat(1_100)}\r\n`, 431, 'headers_too_large'],
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505, 'version_refused'],
    ['another served Host', `GET /x HTTP/1.1\r\nHost: api.apps.test\r\n\r\n`, 421, 'host_mismatch'],
    ['a Host that nobody has', 'GET /x HTTP/1.1\r\nHost: nobody.apps.test\r\n\r\n', 404, 'route_unknown'],
    ['an absolute target of another Host', `GET https://api.apps.test/x HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`, 400, 'bad_request'],
    ['a target without a slash', `GET admin HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`, 400, 'bad_request'],
  ];
  test.each(rows)('%s', async (_title, bytes, status, code) => {
    const client = await stage.connect(HOST);
    client.send(bytes);
    await client.sees('sallyport-error');
    expect(client.received()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(client.received()).toContain(`sallyport-error: ${code}\r\n`);
    expect(client.received()).toContain('Cache-Control: no-store\r\n');
    await until('record', () => stage.records.length === 1);
    expect(stage.records).toMatchObject([{ ending: 'refused', status, code, sandboxId: 's1' }]);
    expect(app.received()).toBe('');
  });

  test('and a fault in the framing ends the connection, read whole', async () => {
    const client = await stage.connect(HOST);
    client.send(`GET /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: abc\r\n\r\n${'x'.repeat(500_000)}`);
    await client.isOver();
    expect(client.received()).toMatch(/Connection: close\r\n[\s\S]*\}\n$/);
    expect(client.error()).toBeUndefined();
  });

  test('a fault in the body ends the request at the application unfinished', async () => {
    const client = await stage.connect(HOST);
    client.send(`POST /x HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);
    await until('at the application', () => app.received().includes('hello'));
    client.send(`INVALID!!!\r\n${SMUGGLED}`);
    await client.isOver();
    await until('closed there', () => app.openCount() === 0);
    expect(app.received()).not.toMatch(/SMUGGLED|0\r\n\r\n$/);
  });
});

describe('after a refusal that leaves the framing intact the connection lives', () => {
  test('a mismatch between two good requests', async () => {
    const client = await stage.connect(HOST);
    client.send(`GET /1 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    await client.sees('served /1');
    client.send(`GET /2 HTTP/1.1\r\nHost: api.apps.test\r\n${json}\r\n`);
    await client.sees('"host_mismatch"');
    client.send(`GET /3 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    await client.sees('served /3');
    expect(app.received()).not.toContain('/2');
  });

  test('the body of a refused request is not taken for the next one', async () => {
    const client = await stage.connect(HOST);
    client.send(
      `POST /1 HTTP/1.1\r\nHost: nobody.test\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}GET /2 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`,
    );
    await client.sees('served /2');
    expect(app.received()).not.toContain('SMUGGLED');
  });

  test('HEAD is refused without a body', async () => {
    sandbox.serve({ web: await freePort() });
    const client = await stage.connect(HOST);
    client.send(`HEAD /x HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    await client.sees(' 502 ');
    sandbox.serve({ web: app.port });
    client.send(`GET /y HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    await client.sees('served /y');
    expect(client.received()).toMatch(/^HTTP\/1\.1 502 [^{}<]*\r\n\r\nHTTP\/1\.1 200 /);
  });
});

test('a client that ends with its request still reads why it is refused', async () => {
  const client = await stage.connect(HOST);
  client.socket.end(`GET /x HTTP/1.1\r\nHost: nobody.test\r\n${json}\r\n`);
  await client.sees('"route_unknown"');
  await until('closed', () => client.closed());
  expect(client.error()).toBeUndefined();
});

describe('what the standing says is what the client reads', () => {
  const rows: [title: string, change: () => Parameters<TestSandbox['stand']>[0], status: number, code: string][] = [
    ['not acknowledged', () => ({ acknowledged: false }), 503, 'not_fresh'],
    ['no longer fresh', () => ({ freshUntil: LONG_AGO }), 503, 'not_fresh'],
    ['no lease', () => ({ mode: 'shared', leaseUntil: LONG_AGO }), 503, 'lease_expired'],
    ['released', () => ({ released: true }), 503, 'draining'],
  ];
  test.each(rows)('%s', async (_title, change, status, code) => {
    const client = await stage.connect(HOST);
    await until('secured here too', () => stage.events.includes('secured'));
    sandbox.stand(change());
    // A release closes idle connections, also this one.
    if (code === 'draining') return client.isOver();
    client.send(`GET /x HTTP/1.1\r\nHost: ${HOST}\r\n${json}\r\n`);
    await client.sees(`"${code}"`);
    expect(client.received()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(client.received()).toMatch(/Retry-After: \d+\r\n/);
    expect(app.received()).toBe('');
    sandbox.stand({ acknowledged: true, mode: 'dedicated', freshUntil: later(stage.clock.now(), 60_000) });
    client.send(`GET /y HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    await client.sees('served /y');
  });

  test('a withdrawn host is still known: its handshake succeeds and the answer says so', async () => {
    sandbox.serve({ api: app.port });
    const client = await stage.connect(HOST);
    client.send(`GET /x HTTP/1.1\r\nHost: ${HOST}\r\n${json}\r\n`);
    await client.sees('"route_withdrawn"');
    expect(client.received()).toMatch(/^HTTP\/1\.1 404 /);
  });

  test('a request in flight at a release is answered, with Connection: close', async () => {
    await app.close();
    app = await startApp(() => {});
    sandbox.serve({ web: app.port });
    const client = await stage.connect(HOST);
    client.send(`GET /x HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    await until('at the application', () => app.received().endsWith('\r\n\r\n'));
    sandbox.stand({ released: true });
    app.connections[0]?.socket.write(respond('served'));
    await client.isOver();
    expect(client.received()).toMatch(/Connection: close\r\n[\s\S]*served$/);
  });
});

describe('the application cannot be reached', () => {
  test.each([
    ['application/json', 'application/json'],
    ['text/html,*/*;q=0.8', 'text/html'],
    ['*/*', 'application/json'],
  ])('Accept: %s reads %s', async (accept, type) => {
    sandbox.serve({ web: await freePort() });
    const client = await stage.connect(HOST);
    client.send(`GET /x HTTP/1.1\r\nHost: ${HOST}\r\nAccept: ${accept}\r\n\r\n`);
    await client.sees('sallyport-error: app_unreachable');
    expect(client.received()).toMatch(/^HTTP\/1\.1 502 /);
    expect(client.received()).toContain(`Content-Type: ${type}`);
    expect(client.received()).not.toContain('127.0.0.1');
    expect(sandbox.instance.counters().lastError).toMatchObject({ code: 'app_unreachable', host: HOST });
  });

  test('an upload to it reads the whole 502', async () => {
    sandbox.serve({ web: await freePort() });
    const client = await stage.connect(HOST);
    client.send(`POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 3000000\r\n\r\n`);
    client.send(Buffer.alloc(3_000_000));
    await client.isOver();
    expect(client.received()).toMatch(/^HTTP\/1\.1 502 [\s\S]*\}\n$/);
    expect(client.error()).toBeUndefined();
  });

  test('a port of our own is never dialled', async () => {
    sandbox.serve({ web: stage.listener.port });
    const client = await stage.connect(HOST);
    client.send(`GET /x HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    await client.sees('sallyport-error: app_unreachable');
    expect(stage.events.filter((event) => event === 'accepted')).toHaveLength(1);
  });
});

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
