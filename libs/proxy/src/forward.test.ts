import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type App, answerEach, respond, startApp } from './testing/app.ts';
import { hostNamed, type Stage, startStage } from './testing/stage.ts';

const HOST = hostNamed('web');
let stage: Stage;
let app: App | undefined;

beforeEach(async () => {
  stage = await startStage();
});
afterEach(async () => {
  await stage.close();
  await app?.close();
  app = undefined;
});

describe('a plain exchange', () => {
  test('goes to the application and back', async () => {
    app = await startApp(answerEach(respond('hello')));
    stage.sandbox('s1', { web: app.port });
    const client = await stage.connect(HOST);
    client.send(`GET /x?y=1 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    await client.sees('hello');
    expect(client.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(app.received()).toContain('GET /x?y=1 HTTP/1.1\r\n');
    expect(stage.records).toMatchObject([
      {
        kind: 'http',
        status: 200,
        ending: 'complete',
        method: 'GET',
        path: '/x',
        host: HOST,
        service: 'web',
        bytesOut: 5,
        client: '127.0.0.1',
      },
    ]);
  });
});

describe('a WebSocket', () => {
  test('is a tunnel after the 101 of the application', async () => {
    app = await startApp(({ socket }, chunk) => {
      const text = chunk.toString('latin1');
      if (text.includes('Upgrade'))
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n',
        );
      else socket.write(`echo ${text}`);
    });
    stage.sandbox('s1', { web: app.port });
    const client = await stage.connect(HOST);
    client.send(
      `GET /ws HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    await client.sees('\r\n\r\n');
    expect(client.received()).toMatch(/^HTTP\/1\.1 101 /);
    client.send('one');
    await client.sees('echo one');
    client.send('two');
    await client.sees('echo two');
  });
});
