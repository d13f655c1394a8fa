import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Authority, createAuthority } from './authority.ts';
import type { Issued, LeafOptions } from './leaf.ts';

/** Real clients against the wall clock: these certificates must be valid today. */
const now = new Date();
const folder = mkdtempSync(join(tmpdir(), 'pki-'));
afterAll(() => rmSync(folder, { recursive: true }));
const inFile = (name: string, pem: string): string => {
  writeFileSync(join(folder, name), pem);
  return join(folder, name);
};
const present = (program: string, ask: string): boolean => {
  try {
    execFileSync(program, [ask], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

let dev: Authority;
let internal: Authority;
beforeAll(async () => {
  dev = await createAuthority({ commonName: 'dev', permittedDomains: ['apps.localhost'], usages: ['server'], days: 30, now });
  internal = await createAuthority({ commonName: 'internal', permittedTrustDomain: 'example.org', days: 30, now });
});
type Names = Pick<LeafOptions, 'dnsNames' | 'ipAddresses' | 'uris'>;
const serverFor = (ca: Authority, names: Names): Promise<Issued> => ca.issue({ ...names, usages: ['server'], days: 7, now });

/** The name or address under which a client asks, what the certificate names, and what comes of it. */
const rows: [title: string, names: Names, asked: string, want: string][] = [
  ['a host under the wildcard', { dnsNames: ['*.apps.localhost'] }, 'web--box--team.apps.localhost', 'trusted'],
  ['the domain itself', { dnsNames: ['apps.localhost'] }, 'apps.localhost', 'trusted'],
  ['an address of this machine', { ipAddresses: ['127.0.0.1'] }, '127.0.0.1', 'trusted'],
  ['two labels under the wildcard', { dnsNames: ['*.apps.localhost'] }, 'a.b.apps.localhost', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['a foreign name', { dnsNames: ['example.com'] }, 'example.com', 'permitted subtree violation'],
  [
    'a foreign name beside ours',
    { dnsNames: ['a.apps.localhost', 'example.com'] },
    'a.apps.localhost',
    'permitted subtree violation',
  ],
  ['a name that only ends alike', { dnsNames: ['evilapps.localhost'] }, 'evilapps.localhost', 'permitted subtree violation'],
  ['a wildcard of a foreign domain', { dnsNames: ['*.example.com'] }, 'a.example.com', 'permitted subtree violation'],
  [
    'an identity beside its name',
    { dnsNames: ['a.apps.localhost'], uris: ['spiffe://apps.localhost/gateway/g1'] },
    'a.apps.localhost',
    'permitted subtree violation',
  ],
  ['a foreign address', { ipAddresses: ['192.0.2.1'] }, '192.0.2.1', 'permitted subtree violation'],
];

describe('node:tls', () => {
  test.each(rows)('%s', async (_title, names, asked, want) => {
    const issued = await serverFor(dev, names);
    expect(await handshake({ key: issued.keyPem, cert: issued.certPem }, { ca: dev.certPem, ...serverName(asked) })).toBe(want);
  });
  test('a client that does not know the CA refuses', async () => {
    const issued = await serverFor(dev, { dnsNames: ['apps.localhost'] });
    expect(await handshake({ key: issued.keyPem, cert: issued.certPem }, serverName('apps.localhost'))).toBe(
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    );
  });

  /** Node has no code of its own for names that a CA may not vouch for. */
  const identities: [title: string, uri: string, want: string | undefined][] = [
    ['of this trust domain is taken', 'spiffe://example.org/supervisor/m1', undefined],
    ['of another is refused', 'spiffe://other.org/supervisor/m1', 'UNSPECIFIED'],
    ['of one below is refused', 'spiffe://sub.example.org/supervisor/m1', 'UNSPECIFIED'],
  ];
  test.each(identities)('a client identity %s', async (_title, uri, want) => {
    const server = await internal.issue({
      dnsNames: ['gateway'],
      uris: ['spiffe://example.org/gateway/g1'],
      usages: ['server'],
      days: 7,
      now,
    });
    const client = await internal.issue({ uris: [uri], usages: ['client'], days: 7, now });
    const seen = await mutual(server, client);
    expect(seen).toEqual({ uri: `URI:${uri}`, error: want });
  });
});

describe.skipIf(!present('openssl', 'version'))('openssl verify (apt-get install openssl)', () => {
  const verify = promisify(execFile);
  test.each(rows)('%s', async (_title, names, asked, want) => {
    const { certPem } = await serverFor(dev, names);
    const name = /^[\d.]+$/.test(asked) ? ['-verify_ip', asked] : ['-verify_hostname', asked];
    const result = await verify('openssl', [
      'verify',
      '-x509_strict',
      '-purpose',
      'sslserver',
      ...name,
      '-CAfile',
      inFile('ca.crt', dev.certPem),
      inFile('leaf.crt', certPem),
    ]).then(
      ({ stdout }) => stdout,
      (error: { stderr: string; stdout: string }) => error.stdout + error.stderr,
    );
    const text = {
      trusted: /: OK/,
      'permitted subtree violation': /permitted subtree violation/,
      ERR_TLS_CERT_ALTNAME_INVALID: /hostname mismatch/,
    }[want];
    expect(result).toMatch(text as RegExp);
  });
  test('a certificate under the dev CA is no client certificate', async () => {
    const { certPem } = await dev.issue({ dnsNames: ['a.apps.localhost'], usages: ['client'], days: 7, now });
    const failed = await verify('openssl', [
      'verify',
      '-purpose',
      'sslclient',
      '-CAfile',
      inFile('ca.crt', dev.certPem),
      inFile('leaf.crt', certPem),
    ]).catch((error: { stderr: string }) => error.stderr);
    expect(failed).toMatch(/unsuitable certificate purpose/);
  });
  test('nothing under the dev CA signs further', async () => {
    const leaf = await serverFor(dev, { dnsNames: ['a.apps.localhost'] });
    const text = (await verify('openssl', ['x509', '-noout', '-text', '-in', inFile('leaf.crt', leaf.certPem)])).stdout;
    expect(text).toMatch(/Basic Constraints: critical\n +CA:FALSE/);
    expect(text).toMatch(/Key Usage: critical\n +Digital Signature\n/);
    const ca = (await verify('openssl', ['x509', '-noout', '-text', '-in', inFile('ca.crt', dev.certPem)])).stdout;
    expect(ca).toMatch(/Basic Constraints: critical\n +CA:TRUE, pathlen:0/);
    expect(ca).toMatch(/Name Constraints: critical\n +Permitted:\n +DNS:apps.localhost/);
  });
});

describe.skipIf(!present('curl', '--version'))('curl (apt-get install curl)', () => {
  test.each([
    ['takes a host under the wildcard', ['*.apps.localhost'], 'web.apps.localhost', '200'],
    ['refuses a foreign name', ['example.com'], 'example.com', '000'],
  ])('%s', async (_title, dnsNames, host, want) => {
    const issued = await serverFor(dev, { dnsNames });
    const server = createServer({ key: issued.keyPem, cert: issued.certPem }, (_request, response) => response.end('hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const args = [
      '-s',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      '--noproxy',
      '*',
      '--cacert',
      inFile('ca.crt', dev.certPem),
      '--resolve',
      `${host}:${port}:127.0.0.1`,
    ];
    const status = await promisify(execFile)('curl', [...args, `https://${host}:${port}/`]).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    );
    server.close();
    server.closeAllConnections();
    expect(status).toBe(want);
  });
});

/** An address is not sent as a server name, only compared. */
const serverName = (asked: string): ConnectionOptions => (/^[\d.]+$/.test(asked) ? { host: asked } : { servername: asked });

/** What a client says of a server with this certificate: `trusted`, or the code of its refusal. */
async function handshake(server: { key: string; cert: string }, { host, ...client }: ConnectionOptions): Promise<string> {
  const listener = createTlsServer(server, (socket) => socket.on('error', () => undefined));
  listener.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  // The address in the certificate may be a foreign one; only this machine's can be dialled.
  const dialled = { port: (listener.address() as AddressInfo).port, host: '127.0.0.1' };
  try {
    return await new Promise<string>((resolve) => {
      const socket: TLSSocket = connect({ ...dialled, ...client, rejectUnauthorized: true }, () => {
        resolve('trusted');
        socket.destroy();
      });
      socket.on('error', (error: NodeJS.ErrnoException) =>
        resolve(error.code === 'UNSPECIFIED' ? error.message : (error.code ?? error.message)),
      );
    });
  } finally {
    listener.close();
    void host;
  }
}

/** What a server that asks for client certificates sees of one. */
function mutual(server: Issued, client: Issued): Promise<{ uri: string | undefined; error: string | undefined }> {
  return new Promise((resolve) => {
    const listener = createTlsServer(
      { key: server.keyPem, cert: server.certPem, ca: internal.certPem, requestCert: true, rejectUnauthorized: false },
      (socket) => {
        const error = socket.authorizationError as unknown as string | null | undefined;
        resolve({ uri: socket.getPeerCertificate().subjectaltname, error: error ?? undefined });
        socket.destroy();
        listener.close();
      },
    );
    listener.listen(0, '127.0.0.1', () => {
      const { port } = listener.address() as AddressInfo;
      const socket = connect({
        port,
        host: '127.0.0.1',
        servername: 'gateway',
        ca: internal.certPem,
        key: client.keyPem,
        cert: client.certPem,
      });
      socket.on('error', () => undefined);
    });
  });
}
