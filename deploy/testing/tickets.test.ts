import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAuthority } from '@sallyport/pki';
import { expect, test } from 'vitest';

const CONFIG = join(import.meta.dirname, '..', 'images', 'openssl.cnf');

/** A handshake and a byte behind it: the tickets that the client was sent, of TLS 1.3. */
const COUNT = `
  const { connect, createServer } = require('node:tls');
  const [cert, key] = process.argv.slice(1);
  const server = createServer({ cert, key }, (socket) => socket.end('x'));
  server.listen(0, '127.0.0.1', () => {
    let count = 0;
    const client = connect({ port: server.address().port, host: '127.0.0.1', rejectUnauthorized: false });
    client.on('session', () => count++);
    client.on('close', () => process.stdout.write(String(count)));
    client.resume().on('end', () => server.close());
  });
`;

test.each([
  ['as its image starts it, a supervisor sends no tickets', [`--openssl-config=${CONFIG}`], 0],
  ['others send two', [], 2],
])('%s', async (_title, options, want) => {
  const now = new Date();
  const ca = await createAuthority({ commonName: 'tickets', permittedDomains: ['a.test'], days: 1, now });
  const { certPem, keyPem } = await ca.issue({ dnsNames: ['a.test'], usages: ['server'], days: 1, now });
  const { stdout } = await promisify(execFile)(process.execPath, [...options, '-e', COUNT, '--', certPem, keyPem]);
  expect(Number(stdout)).toBe(want);
});
