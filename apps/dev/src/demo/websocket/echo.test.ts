import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import type { DemoLimits } from '../limits.ts';
import { type Demo, startDemo } from '../start-demo.ts';
import { clientFrame, HANDSHAKE_FIELDS, openSocket } from '../testing/socket-client.ts';
import { serveEcho } from './echo.ts';
import { OPCODE, writeFrame } from './frame.ts';

const { text, binary, continuation, close, ping, pong } = OPCODE;

let demo: Demo | undefined;
afterEach(() => demo?.close());

async function start(limits: Partial<DemoLimits> = {}): Promise<number> {
  demo = await startDemo({ limits });
  return demo.port;
}

const closeCode = (payload?: Buffer): number | undefined => payload?.readUInt16BE();

test('answers the handshake with the key of RFC 6455', async () => {
  const client = await openSocket(await start());
  expect(client.head).toMatch(/^HTTP\/1\.1 101 /);
  expect(client.head).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
});

test('sends back text, binary and fragments, and answers a ping between them', async () => {
  const client = await openSocket(await start());
  client.send(clientFrame(text, 'hello'));
  client.send(clientFrame(binary, Buffer.from([0, 255])));
  client.send(clientFrame(text, 'one ', { final: false }), clientFrame(ping, 'there?'), clientFrame(continuation, 'whole'));
  expect(await client.next()).toEqual({ opcode: text, payload: Buffer.from('hello') });
  expect(await client.next()).toEqual({ opcode: binary, payload: Buffer.from([0, 255]) });
  expect(await client.next()).toEqual({ opcode: pong, payload: Buffer.from('there?') });
  expect(await client.next()).toEqual({ opcode: text, payload: Buffer.from('one whole') });
});

test('a message that comes with the handshake is not lost', async () => {
  const client = await openSocket(await start(), { first: clientFrame(text, 'early') });
  expect((await client.next())?.payload.toString()).toBe('early');
});

test('a message at the limit comes back, a larger one ends the socket with 1009', async () => {
  const client = await openSocket(await start({ messageBytesMax: 70_000 }));
  const largest = Buffer.alloc(70_000, 'x');
  client.send(clientFrame(text, largest));
  expect((await client.next())?.payload.equals(largest)).toBe(true);
  client.send(clientFrame(text, Buffer.alloc(70_001)));
  expect(closeCode((await client.next())?.payload)).toBe(1009);
  await client.ended();
});

test('a frame without a mask ends the socket with 1002, and nobody else', async () => {
  const port = await start();
  const [wrong, right] = [await openSocket(port), await openSocket(port)];
  wrong.send(clientFrame(text, 'a', { masked: false }));
  expect(closeCode((await wrong.next())?.payload)).toBe(1002);
  right.send(clientFrame(text, 'still here'));
  expect((await right.next())?.payload.toString()).toBe('still here');
});

test('a close is answered with its code, and the socket ends', async () => {
  const client = await openSocket(await start());
  client.send(clientFrame(close, Buffer.from([0x0f, 0xa0])));
  expect(closeCode((await client.next())?.payload)).toBe(4000);
  await client.ended();
});

test('a peer that answers no ping is let go', async () => {
  const client = await openSocket(await start({ pingMs: 20 }));
  expect((await client.next())?.opcode).toBe(ping);
  expect(await client.next()).toBeUndefined();
});

test('at the limit of sockets the next one is refused, and a place that is left is free again', async () => {
  const port = await start({ echoMax: 1 });
  const first = await openSocket(port);
  expect((await openSocket(port)).head).toMatch(/^HTTP\/1\.1 503 /);
  first.socket.destroy();
  await first.ended();
  const heads = async (): Promise<string> => (await openSocket(port)).head;
  // The server hears of the reset in a turn of its own.
  await expect.poll(heads).toMatch(/^HTTP\/1\.1 101 /);
});

const wrong: [title: string, change: Record<string, string>, status: string][] = [
  ['another version', { 'Sec-WebSocket-Version': '8' }, '426'],
  ['a key that is too short', { 'Sec-WebSocket-Key': 'c2hvcnQ=' }, '400'],
  ['a key that is no base64', { 'Sec-WebSocket-Key': '!!!!!!!!!!!!!!!!!!!!!!==' }, '400'],
  ['another protocol', { Upgrade: 'h2c' }, '400'],
  ['a body', { 'Content-Length': '5' }, '400'],
];

test.each(wrong)('refuses a handshake with %s', async (_title, change, status) => {
  const client = await openSocket(await start(), { fields: { ...HANDSHAKE_FIELDS, ...change } });
  expect(client.head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  await client.ended();
});

test('refuses a WebSocket at another path', async () => {
  expect((await openSocket(await start(), { path: '/elsewhere' })).head).toMatch(/^HTTP\/1\.1 404 /);
});

test('the application takes leave with 1001, and does not wait for those who do not answer', async () => {
  const client = await openSocket(await start({ closeMs: 50 }));
  await demo?.close();
  expect(closeCode((await client.next())?.payload)).toBe(1001);
  await client.ended();
});

test('takes nothing more from a peer that does not read', async () => {
  // A socket whose writes never finish, as when the peer's window is closed.
  const written: Buffer[] = [];
  const socket = new Duplex({ read() {}, write: (bytes: Buffer) => void written.push(bytes), writableHighWaterMark: 10 });
  serveEcho(socket, Buffer.alloc(0), { messageBytesMax: 100, pingMs: 60_000, closeMs: 10 });
  socket.push(clientFrame(text, 'more than ten bytes'));
  await once(socket, 'pause');
  socket.push(clientFrame(text, 'the second'));
  await new Promise(setImmediate);
  expect(written).toEqual([writeFrame(text, Buffer.from('more than ten bytes'))]);
  expect(socket.isPaused()).toBe(true);
  socket.destroy();
});
