import type { ManualClock } from '@sallyport/process/manual-clock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, TICK_MS } from './limits.ts';
import { type App, answerEach, respond, startApp } from './testing/app.ts';
import { connectPlain, connectTls } from './testing/client.ts';
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
const count = (event: string): number => stage.events.filter((seen) => seen === event).length;

describe('connections', () => {
  test('of the process end at their limit', async () => {
    await start({ limits: { connectionsMax: 2 } });
    const clients = [await stage.connect(HOST), await stage.connect(HOST)];
    await expect(stage.connect(HOST)).rejects.toThrow();
    expect(count('over-process-limit')).toBe(1);
    clients[0]?.reset();
    await until('one closed', () => stage.listener.connectionCount() === 1);
    await stage.connect(HOST);
  });

  test('of one client end at their limit', async () => {
    await start({ limits: { connectionsPerClientMax: 2 } });
    const clients = [await stage.connect(HOST), await stage.connect(HOST)];
    await expect(stage.connect(HOST)).rejects.toThrow();
    expect(count('over-client-limit')).toBe(1);
    clients[0]?.reset();
    await until('one closed', () => stage.listener.connectionCount() === 1);
    await stage.connect(HOST);
  });

  test('of one instance end at their limit, another one has its own', async () => {
    await start({ limits: { connectionsPerInstanceMax: 1 } });
    stage.sandbox('s2', { twin: app.port });
    await stage.connect(HOST);
    await until('secured', () => count('secured') === 1);
    const second = await stage.connect(HOST).catch(() => undefined);
    if (second !== undefined) await second.isOver();
    await until('refused', () => count('over-instance-limit') === 1);
    const twin = await stage.connect(hostNamed('twin'));
    twin.send(get(hostNamed('twin')));
    await twin.sees('served');
  });
});

describe('time', () => {
  const { handshakeMs, headMs, idleMs, firstByteMs, streamSilenceMs, tunnelSilenceMs } = DEFAULT_LIMITS;
  /** Nothing is cut a tick before, everything within two ticks after. */
  async function cutAfter(ms: number, stillOpen: () => boolean): Promise<void> {
    stage.clock.advance(ms - TICK_MS);
    expect(stillOpen()).toBe(true);
    stage.clock.advance(2 * TICK_MS);
  }

  test('a connection that says nothing', async () => {
    await start();
    const client = connectPlain(stage.listener.port);
    await until('accepted', () => count('accepted') === 1);
    await cutAfter(handshakeMs, () => stage.listener.connectionCount() === 1);
    await client.isOver();
    expect(count('handshake-timeout')).toBe(1);
  });

  test('a handshake that is never finished', async () => {
    await start();
    const client = connectPlain(stage.listener.port);
    client.send(Buffer.from('1603010200010001', 'hex'));
    await until('accepted', () => count('accepted') === 1);
    await cutAfter(handshakeMs, () => stage.listener.connectionCount() === 1);
    await client.isOver();
  });

  test.each([
    ['says nothing', ''],
    ['is inside its handshake', '1603010200010001'],
  ])('a client that ends while it %s is let go at once', async (_title, bytes) => {
    await start();
    const client = connectPlain(stage.listener.port);
    if (bytes !== '') client.send(Buffer.from(bytes, 'hex'));
    client.socket.end();
    await until('accepted and closed', () => count('accepted') === 1 && stage.listener.connectionCount() === 0, 1_000);
  });

  test('a head that grows byte by byte', async () => {
    await start();
    const client = await stage.connect(HOST);
    client.send(`GET /x HTTP/1.1\r\nHost: ${HOST}\r\nX: `);
    await until('read', () => count('secured') === 1);
    client.send('a');
    await until('in', () => client.socket.writableLength === 0);
    // One turn of the listener, so that it has read what was sent.
    (await stage.connect(HOST)).socket.destroy();
    await cutAfter(headMs, () => !client.ended());
    await client.sees('sallyport-error: head_timeout');
    expect(client.received()).toMatch(/^HTTP\/1\.1 408 /);
    expect(app.received()).toBe('');
  });

  test('a connection between two requests', async () => {
    await start();
    const client = await stage.connect(HOST);
    client.send(get(HOST));
    await client.sees('served');
    await cutAfter(idleMs, () => !client.ended());
    await client.isOver();
    expect(client.error()).toBeUndefined();
  });

  test('an application that does not answer', async () => {
    await app.close();
    app = await startApp(() => {});
    await start();
    const client = await stage.connect(HOST);
    client.send(get(HOST, 'Accept: application/json\r\n'));
    await until('there', () => app.received().endsWith('\r\n\r\n'));
    await cutAfter(firstByteMs, () => client.received() === '');
    await client.sees('"app_timeout"');
    expect(client.received()).toMatch(/^HTTP\/1\.1 504 /);
    await until('closed there', () => app.openCount() === 0);
  });

  test('an answer that falls silent is cut, unfinished', async () => {
    await app.close();
    app = await startApp(({ socket }) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'));
    await start();
    const client = await stage.connect(HOST);
    client.send(get(HOST));
    await client.sees('half');
    await cutAfter(streamSilenceMs, () => !client.closed());
    await until('closed', () => client.closed());
    expect(client.error()).toBe('ECONNRESET');
    expect(stage.records).toMatchObject([{ ending: 'silent' }]);
  });

  test('a tunnel that falls silent, counted from its last byte', async () => {
    await app.close();
    app = await startApp(({ socket }, chunk) =>
      socket.write(chunk.includes('Upgrade') ? 'HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n' : chunk),
    );
    await start();
    const client = await stage.connect(HOST);
    client.send(
      get(
        HOST,
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n',
      ),
    );
    await client.sees(' 101 ');
    stage.clock.advance(tunnelSilenceMs - TICK_MS);
    client.send('ping');
    await client.sees('ping');
    await cutAfter(tunnelSilenceMs, () => !client.closed());
    await until('closed', () => client.closed());
  });

  test('an idle application connection, before the application would', async () => {
    await start();
    const client = await stage.connect(HOST);
    client.send(get(HOST));
    await client.sees('served');
    await cutAfter(DEFAULT_LIMITS.appIdleMs, () => app.openCount() === 1);
    await until('closed there', () => app.openCount() === 0);
  });

  test('a client that lingers after its answer', async () => {
    await start();
    const client = await stage.connect(HOST);
    client.send(get(HOST, 'Connection: close\r\n'));
    await client.isOver();
    await cutAfter(DEFAULT_LIMITS.lingerMs, () => stage.listener.connectionCount() === 1);
    await until('closed', () => stage.listener.connectionCount() === 0);
  });
});

describe('a drain', () => {
  test('closes idle connections, lets exchanges finish and refuses new ones', async () => {
    await app.close();
    app = await startApp(() => {});
    await start();
    const [idle, busy] = [await stage.connect(HOST), await stage.connect(HOST)];
    busy.send(get(HOST));
    await until('there', () => app.received().endsWith('\r\n\r\n') && count('secured') === 2);
    let drained = false;
    const done = stage.listener.drain(10_000).then(() => {
      drained = true;
    });
    await idle.isOver();
    await expect(connectTls(stage.listener.port, HOST)).rejects.toThrow();
    expect(drained).toBe(false);
    app.connections[0]?.socket.write(respond('last words'));
    await busy.isOver();
    expect(busy.received()).toMatch(/Connection: close\r\n[\s\S]*last words$/);
    for (const client of [idle, busy]) client.socket.end();
    await done;
  });

  test('does not wait beyond its grace for a client that never ends', async () => {
    await start();
    const client = await stage.connect(HOST);
    await until('secured', () => count('secured') === 1);
    const done = stage.listener.drain(1_000);
    await client.isOver();
    stage.clock.advance(1_000);
    await done;
  });

  test('ends what is left when its grace is over', async () => {
    await app.close();
    app = await startApp(() => {});
    await start();
    const client = await stage.connect(HOST);
    client.send(get(HOST));
    await until('there', () => app.received().endsWith('\r\n\r\n'));
    const done = stage.listener.drain(10_000);
    stage.clock.advance(9_999);
    expect(client.closed()).toBe(false);
    stage.clock.advance(1);
    await done;
    expect(stage.records).toMatchObject([{ ending: 'drained' }]);
  });
});
