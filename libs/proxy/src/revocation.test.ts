import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Instant, later, ok } from '@sallyport/model';
import type { ManualClock } from '@sallyport/process/manual-clock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Connector } from './connector.ts';
import { TICK_MS } from './limits.ts';
import { type App, respond, startApp } from './testing/app.ts';
import type { RawClient } from './testing/client.ts';
import { hostNamed, type Stage, startManualStage, startStage, type TestSandbox } from './testing/stage.ts';
import { until } from './testing/until.ts';

const [WEB, API] = [hostNamed('web'), hostNamed('api')];
const CHUNKS = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n';
const ACCEPTED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

let stage: Stage<ManualClock>;
let app: App;
let sandbox: TestSandbox;

beforeEach(async () => {
  stage = await startManualStage();
  app = await startApp(({ socket }, chunk) => {
    if (chunk.includes('Upgrade: websocket')) socket.write(ACCEPTED);
    else if (chunk.includes('/stream')) socket.write(CHUNKS);
    else if (chunk.includes('GET ')) socket.write(respond('plain'));
  });
  sandbox = stage.sandbox('s1', { web: app.port, api: app.port });
});
afterEach(async () => {
  await stage.close();
  await app.close();
});

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

async function openStream(host: string, on: { connect: Stage['connect'] } = stage): Promise<RawClient> {
  const client = await on.connect(host);
  client.send(`GET /stream HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await client.sees('a\r\n');
  return client;
}

async function openTunnel(host: string, on: { connect: Stage['connect'] } = stage): Promise<RawClient> {
  const client = await on.connect(host);
  client.send(`GET /ws HTTP/1.1\r\nHost: ${host}\r\n${UPGRADE}\r\n`);
  await client.sees(' 101 ');
  return client;
}

/** Both still pass bytes. */
async function lives(stream: RawClient, tunnel: RawClient): Promise<void> {
  for (const { socket, received, closed } of app.connections) {
    if (closed() || !received().includes(API)) continue;
    socket.write(received().includes('/stream') ? '5\r\nalive\r\n' : 'alive');
  }
  await stream.sees('alive');
  await tunnel.sees('alive');
}

describe('a withdrawal closes the traffic of its route within the call, and no other', () => {
  test.each<[title: string, withdraw: () => void]>([
    ['a route removed', () => sandbox.serve({ api: app.port })],
    ['a route changed', () => sandbox.serve({ web: app.port + 1, api: app.port })],
  ])('%s', async (_title, withdraw) => {
    const [stream, tunnel] = [await openStream(WEB), await openTunnel(WEB)];
    const [otherStream, otherTunnel] = [await openStream(API), await openTunnel(API)];
    withdraw();
    expect(stage.records.map(({ ending }) => ending)).toEqual(['withdrawn', 'withdrawn']);
    await until('both closed', () => stream.closed() && tunnel.closed());
    expect(stream.error()).toBe('ECONNRESET');
    await until('and at the application', () => app.openCount() === 2);
    await lives(otherStream, otherTunnel);
    expect(sandbox.instance.counters().liveStreamCount).toBe(2);
  });

  test('a tunnel of which one half has ended', async () => {
    const tunnel = await openTunnel(WEB);
    app.connections[0]?.socket.end();
    await until('half closed', () => tunnel.ended());
    sandbox.serve({ api: app.port });
    // A client that has read the end hears nothing of a reset until it writes: look at our own side.
    await until('closed', () => stage.listener.connectionCount() === 0 && app.openCount() === 0);
  });

  test('idle application connections of the route go too', async () => {
    for (const host of [WEB, API]) {
      const client = await stage.connect(host);
      client.send(`GET /x HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      await client.sees('plain');
    }
    expect(sandbox.instance.counters().idleAppConnectionCount).toBe(2);
    sandbox.serve({ api: app.port });
    await until('one closed', () => app.openCount() === 1);
    expect(sandbox.instance.counters().idleAppConnectionCount).toBe(1);
  });

  test('the same configuration again closes nothing', async () => {
    const [stream, tunnel] = [await openStream(API), await openTunnel(API)];
    sandbox.serve({ web: app.port, api: app.port });
    await lives(stream, tunnel);
  });

  test('stopping one instance leaves another alone', async () => {
    const twin = stage.sandbox('s2', { twin: app.port });
    const [mine, other] = [await openStream(hostNamed('twin')), await openStream(API)];
    const [otherTunnel] = [await openTunnel(API)];
    twin.instance.stop('stopped');
    await until('closed', () => mine.closed());
    await lives(other, otherTunnel);
    await expect(stage.connect(hostNamed('twin'))).rejects.toThrow();
    expect(stage.instances.claims(hostNamed('twin'))).toBeUndefined();
  });
});

describe('the deadline', () => {
  const standUntil = (ms: number): Instant => {
    const until = later(stage.clock.now(), ms);
    sandbox.stand({ freshUntil: until });
    return until;
  };

  test('is checked for every chunk: a stalled loop forwards nothing that came after it', async () => {
    const [stream, tunnel] = [await openStream(WEB), await openTunnel(WEB)];
    standUntil(10_000);
    stage.clock.stall(10_000);
    for (const { socket } of app.connections) socket.write('4\r\nlate\r\n');
    await until('both closed', () => stream.closed() && tunnel.closed());
    expect(stream.received() + tunnel.received()).not.toContain('late');
    expect(stage.records.map(({ ending }) => ending)).toEqual(['expired', 'expired']);
  });

  test('is checked for every chunk of an upload and of a tunnel towards the application', async () => {
    const client = await stage.connect(WEB);
    client.send(`POST /up HTTP/1.1\r\nHost: ${WEB}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nearly\r\n`);
    await until('there', () => app.received().includes('early'));
    const tunnel = await openTunnel(WEB);
    standUntil(10_000);
    stage.clock.stall(10_000);
    client.send('4\r\nlate\r\n');
    tunnel.send('late');
    await until('both closed', () => client.closed() && tunnel.closed());
    expect(app.received()).not.toContain('late');
  });

  test('a millisecond before it bytes pass, and renewed in time they go on', async () => {
    const [stream, tunnel] = [await openStream(API), await openTunnel(API)];
    standUntil(10_000);
    stage.clock.stall(9_999);
    await lives(stream, tunnel);
    standUntil(10_000);
    stage.clock.stall(9_999);
    await lives(stream, tunnel);
  });

  test('silent streams are swept after it', async () => {
    const [stream, tunnel] = [await openStream(WEB), await openTunnel(WEB)];
    const deadline = standUntil(10_000);
    sandbox.instance.sweep((deadline - 1) as Instant);
    expect(stage.records).toEqual([]);
    stage.clock.advance(10_000 + TICK_MS);
    await until('both closed', () => stream.closed() && tunnel.closed());
  });

  test('a release shortens nothing that is open', async () => {
    const [stream, tunnel] = [await openStream(API), await openTunnel(API)];
    sandbox.stand({ released: true });
    await lives(stream, tunnel);
  });
});

describe('a dial under way', () => {
  let signal: AbortSignal | undefined;
  let arrive: (socket: Socket) => void;
  const held: Connector = {
    dial(_port, dialSignal) {
      signal = dialSignal;
      return new Promise((resolve) => {
        arrive = (socket) => resolve(ok(socket));
      });
    },
  };

  async function connected(): Promise<Socket> {
    const socket = connect(app.port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  }

  async function dialling(): Promise<RawClient> {
    sandbox = stage.sandbox('s2', { slow: app.port }, held);
    const host = hostNamed('slow');
    const client = await stage.connect(host);
    client.send(`GET /x HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\n\r\n`);
    await until('admitted', () => sandbox.instance.counters().liveStreamCount === 1);
    return client;
  }

  test('is aborted by stop, and the client reads that it may come back', async () => {
    const client = await dialling();
    sandbox.instance.stop('stopped');
    expect(signal?.aborted).toBe(true);
    await client.sees('"draining"');
    expect(sandbox.instance.counters().liveStreamCount).toBe(0);
  });

  test('is aborted when its route goes', async () => {
    const client = await dialling();
    sandbox.serve({ api: app.port });
    expect(signal?.aborted).toBe(true);
    await client.sees('"route_withdrawn"');
  });

  test('that arrives although it was aborted is closed, unused', async () => {
    await dialling();
    sandbox.instance.stop('stopped');
    arrive(await connected());
    await until('closed there', () => app.connections.length === 1 && app.openCount() === 0);
    expect(app.received()).toBe('');
  });

  test('that arrives after the deadline is not written to', async () => {
    const client = await dialling();
    sandbox.stand({ freshUntil: later(stage.clock.now(), 1_000) });
    stage.clock.stall(1_000);
    arrive(await connected());
    await client.sees('"not_fresh"');
    await until('closed there', () => app.connections.length === 1 && app.openCount() === 0);
    expect(app.received()).toBe('');
  });
});

test('a host that another instance serves now is served by that one, on the same client connection', async () => {
  const client = await stage.connect(WEB);
  const ask = (): void => client.send(`GET /x HTTP/1.1\r\nHost: ${WEB}\r\n\r\n`);
  ask();
  await client.sees('plain');
  sandbox.serve({ api: app.port });
  stage.sandbox('s2', { web: app.port });
  ask();
  await until('answered again', () => stage.records.length === 2);
  expect(stage.records.map(({ sandboxId, status }) => [sandboxId, status])).toEqual([
    ['s1', 200],
    ['s2', 200],
  ]);
});

test('live streams of a route end at their limit, and come back below it', async () => {
  const small = await startManualStage({ limits: { streamsPerRouteMax: 3 } });
  const box = small.sandbox('s1', { web: app.port, api: app.port });
  const streams = [await openStream(WEB, small), await openStream(WEB, small), await openStream(WEB, small)];
  const client = await small.connect(WEB);
  const ask = (): void => client.send(`GET /stream HTTP/1.1\r\nHost: ${WEB}\r\nAccept: application/json\r\n\r\n`);
  ask();
  await client.sees('"over_limit"');
  expect(client.received()).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: /);
  await openStream(API, small);
  streams[0]?.reset();
  await until('one less', () => box.instance.counters().liveStreamCount === 3);
  ask();
  await client.sees('a\r\n');
  await small.close();
});

describe('for real', () => {
  test('an event loop blocked for a second across the deadline forwards not one byte after it', async () => {
    const real = await startStage();
    const box = real.sandbox('s1', { web: app.port });
    const [stream, tunnel] = [await openStream(WEB, real), await openTunnel(WEB, real)];
    box.stand({ freshUntil: later(real.clock.now(), 300) });
    // The application's bytes are under way while everything stands still.
    for (const { socket } of app.connections) socket.write('4\r\nlate\r\n');
    const end = performance.now() + 1_000;
    while (performance.now() < end);
    await until('both closed', () => stream.closed() && tunnel.closed());
    expect(stream.received() + tunnel.received()).not.toContain('late');
    await real.close();
  });

  test('hundreds of tunnels are closed at once, and another route does not notice', async () => {
    const real = await startStage();
    const box = real.sandbox('s1', { web: app.port, api: app.port });
    const tunnels: RawClient[] = [];
    for (let round = 0; round < 10; round += 1)
      tunnels.push(...(await Promise.all(Array.from({ length: 20 }, () => openTunnel(WEB, real)))));
    const [otherStream, otherTunnel] = [await openStream(API, real), await openTunnel(API, real)];
    const startedAt = process.cpuUsage();
    box.serve({ api: app.port });
    const { user, system } = process.cpuUsage(startedAt);
    const withinCallMs = (user + system) / 1_000;
    expect(real.records.filter(({ ending }) => ending === 'withdrawn')).toHaveLength(200);
    await until('all closed', () => tunnels.every((tunnel) => tunnel.closed()));
    await lives(otherStream, otherTunnel);
    // Of the processor. Generous: a few milliseconds are usual. What matters is that it is one walk, not one turn each.
    expect(withinCallMs).toBeLessThan(500);
    await real.close();
  });
});
