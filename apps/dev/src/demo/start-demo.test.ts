import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { livelyMs } from '@sallyport/process/lively';
import { afterEach, describe, expect, test } from 'vitest';
import type { DemoLimits } from './limits.ts';
import { type Demo, startDemo } from './start-demo.ts';
import { openSocket } from './testing/socket-client.ts';

let demo: Demo | undefined;
afterEach(() => demo?.close());

async function start(limits: Partial<DemoLimits> = {}): Promise<string> {
  demo = await startDemo({ limits });
  return `http://127.0.0.1:${demo.port}`;
}

const stateOf = async (base: string): Promise<unknown> => (await fetch(`${base}/api/state`)).json();

/** For what fetch does not let out: a request whose body we write ourselves. */
function post(
  url: string,
  headers: Record<string, string>,
): { send: ReturnType<typeof httpRequest>; answer: Promise<IncomingMessage> } {
  const send = httpRequest(url, { method: 'POST', headers });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    send.on('response', resolve).on('error', reject);
  });
  return { send, answer };
}

describe('counter', () => {
  test('counts in this process', async () => {
    const base = await start();
    expect(await stateOf(base)).toMatchObject({ pid: process.pid, count: 0 });
    const answer = await fetch(`${base}/api/counter`, { method: 'POST' });
    expect(await answer.json()).toMatchObject({ count: 1 });
    expect(await stateOf(base)).toMatchObject({ count: 1 });
  });

  test('a form without scripts leads back to the page', async () => {
    const base = await start();
    const answer = await fetch(`${base}/api/counter`, { method: 'POST', headers: { accept: 'text/html' } });
    expect(answer.url).toBe(`${base}/`);
    expect(await answer.text()).toContain('<output class="count" id="count" for="add">1</output>');
  });
});

describe('clock', () => {
  async function ticks(base: string, count: number, signal: AbortSignal): Promise<string> {
    const { body } = await fetch(`${base}/api/clock`, { signal });
    let heard = '';
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      heard += chunk;
      if (heard.split('event: tick').length > count) break;
    }
    return heard;
  }

  test('ticks, each reader with its own sequence', async () => {
    const base = await start({ tickMs: 5 });
    const stop = new AbortController();
    for (let reader = 0; reader < 2; reader++) {
      expect(await ticks(base, 3, stop.signal)).toMatch(
        /^retry: 1000\n\nevent: tick\nid: 1\ndata: \{"now":\d+,"sequence":1\}\n\nevent: tick\nid: 2\n/,
      );
    }
    stop.abort();
  });

  test('refuses one too many, and has room again when one left', async () => {
    const base = await start({ clockMax: 1, tickMs: 5 });
    const stop = new AbortController();
    await fetch(`${base}/api/clock`, { signal: stop.signal });
    expect((await fetch(`${base}/api/clock`)).status).toBe(503);
    stop.abort();
    await expect
      .poll(async () => {
        const next = await fetch(`${base}/api/clock`);
        await next.body?.cancel();
        return next.status;
      })
      .toBe(200);
  });
});

describe('upload', () => {
  test('counts a stream without a length', async () => {
    const base = await start();
    const { send, answer } = post(`${base}/api/upload`, {});
    for (let i = 0; i < 20; i++) send.write(Buffer.alloc(100_000));
    send.end('x');
    expect(JSON.parse(await text(await answer))).toMatchObject({ bytes: 2_000_001 });
  });

  test('refuses a stated length over the limit before it reads', async () => {
    const base = await start({ uploadBytesMax: 10 });
    const { send, answer } = post(`${base}/api/upload`, { 'content-length': '11' });
    send.flushHeaders();
    expect((await answer).statusCode).toBe(413);
    send.destroy();
  });

  test('refuses a stream as soon as it is over the limit', async () => {
    const base = await start({ uploadBytesMax: 10 });
    const { send, answer } = post(`${base}/api/upload`, {});
    send.write('0123456789a');
    expect((await answer).statusCode).toBe(413);
    send.destroy();
  });

  test('refuses one too many, and a broken one gives its place back', async () => {
    const base = await start({ uploadMax: 1 });
    const first = post(`${base}/api/upload`, {});
    first.answer.catch(() => {});
    first.send.write('begun');
    const tryAnother = async (): Promise<number> => (await fetch(`${base}/api/upload`, { method: 'POST', body: 'a' })).status;
    await expect.poll(tryAnother).toBe(503);
    first.send.destroy();
    await expect.poll(tryAnother).toBe(200);
  });

  test('ends one that falls silent', async () => {
    const base = await start({ silenceMs: 30 });
    const { send, answer } = post(`${base}/api/upload`, { 'content-length': '100' });
    send.write('begun');
    await expect(answer).rejects.toThrow('socket hang up');
  });
});

describe('refusals', () => {
  const rows: [method: string, path: string, status: number, allow: string | null][] = [
    ['GET', '/nothing', 404, null],
    ['GET', '/constructor', 404, null],
    ['GET', '//', 404, null],
    ['GET', '/%00%ff?a=%', 404, null],
    ['PUT', '/', 405, 'GET'],
    ['DELETE', '/api/counter', 405, 'POST'],
    ['GET', '/api/upload', 405, 'POST'],
    ['GET', '/api/echo', 426, null],
  ];
  test.each(rows)('%s %s is answered with %i', async (method, path, status, allow) => {
    const answer = await fetch(`${await start()}${path}`, { method });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  const nonsense = [
    'GARBAGE\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    'GET / HTTP/9.9\r\nHost: a\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`,
    'POST /api/upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: nothing\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00',
  ];
  test.each(nonsense)('%j ends its own connection and nothing else', async (bytes) => {
    const base = await start();
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(base).port) });
    socket.on('error', () => {});
    socket.end(bytes);
    await new Promise((resolve) => socket.once('close', resolve).resume());
    expect((await fetch(`${base}/api/state`)).status).toBe(200);
  });
});

test('closing is quick with everything live', async () => {
  const base = await start({ closeMs: 50 });
  const port = Number(new URL(base).port);
  const sockets = [await openSocket(port), await openSocket(port)];
  const clock = await fetch(`${base}/api/clock`);
  const upload = post(`${base}/api/upload`, { 'content-length': '100' });
  const cut = expect(upload.answer).rejects.toThrow();
  upload.send.write('begun');
  const startedMs = livelyMs();
  await demo?.close();
  expect(livelyMs() - startedMs).toBeLessThan(500);
  await Promise.all([cut, clock.text().catch(() => {}), ...sockets.map((socket) => socket.ended())]);
});
