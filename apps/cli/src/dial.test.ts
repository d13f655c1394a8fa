import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer, type Server as Listener } from 'node:net';
import { createServer, getCACertificates, type Server, setDefaultCACertificates } from 'node:tls';
import { alertRecord } from '@sallyport/tls-hello';
import { createTestAuthority } from '@sallyport/wire/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { dial, look } from './dial.ts';
import { authority } from './testing/installation.ts';

/** Bound when it resolves. */
async function portOf(listener: Listener): Promise<number> {
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return (listener.address() as AddressInfo).port;
}

const HOST = 'team--demo.apps.test';
const own = getCACertificates('default');
const other = await createTestAuthority();
let server: Server;
beforeAll(async () => {
  const { certFile, keyFile } = await authority.issue('apps', { dnsNames: ['*.apps.test'] });
  server = createServer({
    cert: readFileSync(certFile),
    key: readFileSync(keyFile),
    SNICallback: (name, done) => (name === HOST ? done(null) : done(new Error('nobody serves that'))),
  });
  await portOf(server);
});
afterEach(() => setDefaultCACertificates(own));
afterAll(() => {
  server.close();
  other.remove();
});

const at = (host = HOST, caFile: string | undefined = authority.caFile) => ({
  address: '127.0.0.1',
  port: (server.address() as AddressInfo).port,
  host,
  caFile,
});

test('a certificate of the CA that is given is trusted', async () => {
  expect(await dial(at())).toMatchObject({ ok: true, detail: expect.stringMatching(/shows a trusted certificate/) });
});
test("a CA that is given stands beside the machine's own, not in their place", async () => {
  setDefaultCACertificates([readFileSync(authority.caFile)]);
  expect(await dial(at(HOST, other.caFile))).toMatchObject({ ok: true });
});
test('a certificate of nobody who is trusted', async () => {
  expect(await dial(at(HOST, other.caFile))).toMatchObject({ ok: false, detail: expect.stringMatching(/is not trusted here/) });
});
test('a listener of ours that does not serve the name', async () => {
  const listener = createTcpServer((socket) => socket.once('data', () => socket.end(alertRecord('unrecognizedName'))));
  const port = await portOf(listener);
  expect((await look({ ...at(), port })).kind).toBe('name-refused');
  listener.close();
});
test('a server that hangs up when it hears the name', async () => {
  expect((await look(at('other.apps.test'))).kind).toBe('closed');
});
test('a port that speaks no TLS', async () => {
  const plain = createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const port = await portOf(plain);
  expect((await look({ ...at(), port })).kind).toBe('not-tls');
  plain.close();
});
test('a port that hangs up', async () => {
  const rude = createTcpServer((socket) => socket.end());
  const port = await portOf(rude);
  expect(['closed', 'unreachable']).toContain((await look({ ...at(), port })).kind);
  rude.close();
});
