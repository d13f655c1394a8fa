import type { Socket } from 'node:net';
import { describe, expect, type TestContext, test } from 'vitest';
import { get } from '../http-cases/makers.ts';
import { handshake, switched } from '../http-cases/tunnel-makers.ts';
import { type App, type AppConnection, startApp } from '../stage/app.ts';
import { type Client, connectTls } from '../stage/client.ts';
import { statusOf } from '../stage/message.ts';
import { HOST } from '../stage/stage.ts';
import { pause, until } from '../stage/until.ts';
import { type SupervisorChild, startSupervisorChild } from './start-child.ts';

const MEGABYTE = 1_024 * 1_024;
const GROWTH_MAX = 64 * MEGABYTE;
const PIECE = Buffer.alloc(256 * 1_024, 'x');
const TEST_MS = 240_000;

interface Scene {
  readonly supervisor: SupervisorChild;
  readonly app: App;
  readonly client: Client;
}

async function openScene({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): Promise<Scene> {
  const [supervisor, app] = await Promise.all([startSupervisorChild(), startApp('web')]);
  await supervisor.serve('case', { web: app.port });
  const client = await connectTls(supervisor.port, { servername: HOST, ca: supervisor.ca });
  onTestFinished(async () => {
    client.close();
    await Promise.all([supervisor.stop(), app.close()]);
  });
  return { supervisor, app, client };
}

/** Writes as fast as it is taken; `taken` counts what has left for the other side's system. */
function source(socket: Socket, bytes: number) {
  let written = 0;
  const more = (): void => {
    for (let roomy = true; roomy && written < bytes; ) {
      const piece = PIECE.subarray(0, Math.min(PIECE.length, bytes - written));
      written += piece.length;
      roomy = socket.write(piece);
    }
    if (written < bytes) socket.once('drain', more);
  };
  more();
  return { taken: () => written - socket.writableLength };
}

/** The largest growth of the supervisor and the most that was on the way at once, looked at until `done`. */
async function watch({ supervisor }: Scene, onTheWay: () => number, done: () => boolean) {
  const before = (await supervisor.ask('memory')).residentBytes;
  let [growth, held] = [0, 0];
  while (!done()) {
    growth = Math.max(growth, (await supervisor.ask('counters')).residentBytes - before);
    held = Math.max(held, onTheWay());
    await pause(20);
  }
  return { growthMB: Math.round(growth / MEGABYTE), heldMB: Math.round(held / MEGABYTE) };
}

const perSecond = (reading: () => number, startedAt: number) => (reading() / (performance.now() - startedAt)) * 1_000;

/** Reads nothing for three seconds, and then at 25 MB a second. */
async function readSlowly(socket: Socket, count: () => number, total: number): Promise<void> {
  socket.pause();
  await pause(3_000);
  const startedAt = performance.now();
  const base = count();
  while (count() < total) {
    if (perSecond(() => count() - base, startedAt) < 25 * MEGABYTE) socket.resume();
    else socket.pause();
    await pause(5);
  }
}

describe.concurrent('memory stays', () => {
  test(
    'body-30 slow reader of 200 MB: memory stays, the application is held back',
    async (context) => {
      const scene = await openScene(context);
      const { app, client } = scene;
      let sent: { taken: () => number } | undefined;
      const download = (bytes: number): void =>
        app.restart((exchange) => {
          exchange.send(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`);
          sent = source(exchange.connection.socket, bytes);
        });
      download(48 * MEGABYTE);
      expect((await client.ask(get('/warm-up'))).bodyBytes).toBe(48 * MEGABYTE);
      download(200 * MEGABYTE);
      const base = client.byteCount();
      client.send(get('/x'));
      await until('the application begins', () => (sent?.taken() ?? 0) > 0 && app.requests().length === 1);
      const total = 200 * MEGABYTE;
      const received = (): number => client.byteCount() - base;
      const reading = readSlowly(client.socket, received, total);
      const seen = await watch(
        scene,
        () => (sent?.taken() ?? 0) - received(),
        () => received() >= total,
      );
      await reading;
      console.log('body-30', seen);
      expect((await client.answer()).bodyBytes).toBe(total);
      expect(seen.growthMB * MEGABYTE).toBeLessThan(GROWTH_MAX);
      expect(seen.heldMB * MEGABYTE).toBeLessThan(GROWTH_MAX);
    },
    TEST_MS,
  );

  test(
    'body-n30 upload of 200 MB to a slow application: memory stays, the client is held back',
    async (context) => {
      const scene = await openScene(context);
      const { app, client } = scene;
      const post = (bytes: number): string => `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: ${bytes}\r\n\r\n`;
      client.send(post(48 * MEGABYTE));
      source(client.socket, 48 * MEGABYTE);
      expect(statusOf(await client.answer())).toBe(200);
      const total = 200 * MEGABYTE;
      let connection: AppConnection | undefined;
      app.restart(async (exchange) => {
        connection = exchange.connection;
        exchange.connection.socket.pause();
        await exchange.whole();
        exchange.respond('got it');
      });
      client.send(post(total));
      const sent = source(client.socket, total);
      await until('the head arrives', () => connection !== undefined);
      const received = (): number => app.requests()[0]?.bodyBytes ?? 0;
      const reading = readSlowly((connection as unknown as AppConnection).socket, received, total);
      const seen = await watch(
        scene,
        () => sent.taken() - received(),
        () => received() >= total,
      );
      await reading;
      console.log('body-n30', seen);
      expect((await client.answer()).body()).toBe('got it');
      expect(seen.growthMB * MEGABYTE).toBeLessThan(GROWTH_MAX);
      expect(seen.heldMB * MEGABYTE).toBeLessThan(GROWTH_MAX);
    },
    TEST_MS,
  );

  test(
    'ws-39 a tunnel whose client does not read: the application is held back, memory stays',
    async (context) => {
      const scene = await openScene(context);
      const { app, client } = scene;
      // As in body-30: what a fresh process takes once for its first megabytes is no growth.
      app.restart((exchange) => {
        exchange.send(`HTTP/1.1 200 OK\r\nContent-Length: ${48 * MEGABYTE}\r\n\r\n`);
        source(exchange.connection.socket, 48 * MEGABYTE);
      });
      expect((await client.ask(get('/warm-up'))).bodyBytes).toBe(48 * MEGABYTE);
      const total = 100 * MEGABYTE;
      let sent: { taken: () => number } | undefined;
      app.restart((exchange) => {
        exchange.upgrade(switched());
        sent = source(exchange.connection.socket, total);
      });
      expect(statusOf(await client.ask(handshake()))).toBe(101);
      const tunnel = client.tunnel();
      client.socket.pause();
      const reading = pause(3_000).then(() => client.socket.resume());
      const seen = await watch(
        scene,
        () => (sent?.taken() ?? 0) - tunnel.byteCount(),
        () => tunnel.byteCount() >= total,
      );
      await reading;
      console.log('ws-39', seen);
      expect(tunnel.byteCount()).toBe(total);
      expect(seen.growthMB * MEGABYTE).toBeLessThan(GROWTH_MAX);
      expect(seen.heldMB * MEGABYTE).toBeLessThan(GROWTH_MAX);
    },
    TEST_MS,
  );
});
