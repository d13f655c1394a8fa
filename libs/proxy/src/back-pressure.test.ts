import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type App, startApp } from './testing/app.ts';
import type { RawClient } from './testing/client.ts';
import { hostNamed, type Stage, startStage } from './testing/stage.ts';
import { until } from './testing/until.ts';

const HOST = hostNamed('web');
const MEGABYTE = 1_000_000;
/** What the system's own buffers take on the two connections (a few megabytes each), and ours (a fraction of one). */
const ON_THE_WAY_MAX = 32 * MEGABYTE;
const SENT = 200 * MEGABYTE;
const PIECE = Buffer.alloc(MEGABYTE);

let stage: Stage;
let app: App;

beforeEach(async () => {
  stage = await startStage();
  app = await startApp(({ socket }, chunk) => {
    if (chunk.includes('Upgrade: websocket')) socket.write('HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    else if (chunk.includes('GET ')) socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${SENT}\r\n\r\n`);
    else socket.pause();
  });
  stage.sandbox('s1', { web: app.port });
});
afterEach(async () => {
  await stage.close();
  await app.close();
});

/** Writes as fast as it is taken; tells how much the system has taken. */
function pour(socket: Socket): () => number {
  let offered = 0;
  const more = (): void => {
    while (offered < SENT && !socket.destroyed) {
      offered += PIECE.length;
      if (!socket.write(PIECE)) return;
    }
  };
  socket.on('drain', more);
  more();
  return () => offered - socket.writableLength;
}

/** Resolves when nothing has been taken for a while. */
async function settled(taken: () => number): Promise<number> {
  let [last, since] = [-1, performance.now()];
  await until(
    'the sender is held back',
    () => {
      if (taken() !== last) [last, since] = [taken(), performance.now()];
      return performance.now() - since > 300;
    },
    60_000,
  );
  return last;
}

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

async function ask(fields = ''): Promise<[client: RawClient, server: Socket]> {
  const client = await stage.connect(HOST);
  client.send(`GET /x HTTP/1.1\r\nHost: ${HOST}\r\n${fields}\r\n`);
  await client.sees('\r\n\r\n');
  return [client, app.connections[0]?.socket as Socket];
}

describe('a reader that does not read holds its sender back, and then gets everything', () => {
  test.each([
    ['an answer', ''],
    ['a tunnel towards the client', UPGRADE],
  ])('%s', async (_title, fields) => {
    const [client, server] = await ask(fields);
    client.socket.pause();
    const taken = pour(server);
    expect(await settled(taken)).toBeLessThan(ON_THE_WAY_MAX);
    client.socket.resume();
    await until('all here', () => client.receivedBytes() >= SENT, 60_000);
  });

  test.each([
    ['an upload', `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: ${SENT}\r\n\r\n`],
    ['a tunnel towards the application', ''],
  ])('%s', async (_title, head) => {
    const client = head === '' ? (await ask(UPGRADE))[0] : await stage.connect(HOST);
    client.send(`${head}first`);
    await until('there', () => app.connections.length === 1 && app.received().includes('first'));
    // From the first piece on the application reads nothing.
    const taken = pour(client.socket);
    expect(await settled(taken)).toBeLessThan(ON_THE_WAY_MAX);
  });
});
