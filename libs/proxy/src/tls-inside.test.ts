import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { makePair } from './testing/certificate.ts';
import { until } from './testing/until.ts';
import { hasCiphertext, tcpBeneath } from './tls-inside.ts';

test('this Node keeps the TCP socket beneath a TLS socket', async () => {
  const tls = createServer(makePair(['a.test']));
  const tcp = createTcpServer((raw) => tls.emit('connection', raw));
  tcp.listen({ host: '127.0.0.1', port: 0 });
  await once(tcp, 'listening');
  const client = connect({ host: '127.0.0.1', port: (tcp.address() as AddressInfo).port, rejectUnauthorized: false });
  const [[raw], [socket]] = (await Promise.all([once(tcp, 'connection'), once(tls, 'secureConnection')])) as [
    [Socket],
    [TLSSocket],
  ];
  expect(tcpBeneath(socket)).toBe(raw);
  client.destroy();
  tcp.close();
});

test('this Node tells of ciphertext that the system has yet to take', async () => {
  const server = createServer(makePair(['a.test']));
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const client = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, rejectUnauthorized: false });
  const [socket] = (await once(server, 'secureConnection')) as [TLSSocket];
  await until('the handshake has left', () => hasCiphertext(socket) === false);
  socket.write(Buffer.alloc(64_000_000));
  await until('some waits', () => hasCiphertext(socket) === true);
  client.resume();
  await until('all has left', () => hasCiphertext(socket) === false, 20_000);
  expect(socket.writableLength).toBe(0);
  client.destroy();
  server.close();
});
