import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reset } from './splice.ts';
import { type Client, clientOf, until } from './testing/stage.ts';

let server: Server;
let socket: Socket;
let peer: Client;

beforeEach(async () => {
  server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const dialled = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  [socket] = (await once(server, 'connection')) as [Socket];
  socket.on('error', () => undefined);
  peer = clientOf(dialled);
});
afterEach(() => {
  peer.socket.destroy();
  socket.destroy();
  server.close();
});

async function written(bytes: number): Promise<void> {
  socket.write(Buffer.alloc(bytes));
  await turn();
}

describe('a connection that is broken is heard as broken', () => {
  test('at once', async () => {
    reset(socket);
    await until('the peer hears', () => peer.error() === 'ECONNRESET');
  });

  test('where its end waits for a peer that does not read, and brings that peer no more', async () => {
    peer.socket.pause();
    while (socket.writableLength === 0) await written(65_536);
    socket.end();
    reset(socket);
    await until('it is closed here', () => socket.closed);
    peer.socket.resume();
    await until('the peer hears', () => peer.error() === 'ECONNRESET');
    expect(peer.hasEnded()).toBe(false);
  });

  test.each([
    ['is told at this moment', async () => undefined],
    ['has been told', () => once(socket, 'finish')],
  ])('where its end %s, and what the system still holds does not go out', async (_title, told) => {
    peer.socket.pause();
    for (let count = 0; count < 64; count += 1) await written(8_192);
    expect(socket.writableLength).toBe(0);
    socket.end();
    await told();
    reset(socket);
    await until('it is closed here', () => socket.closed);
    peer.socket.resume();
    await until('the peer hears', () => peer.error() === 'ECONNRESET');
    expect(peer.bytes().length).toBeLessThan(socket.bytesWritten);
  });

  test('not where it is closed already', async () => {
    socket.destroy();
    reset(socket);
    await until('the peer hears the end', () => peer.hasEnded());
    expect(peer.error()).toBeUndefined();
  });
});
