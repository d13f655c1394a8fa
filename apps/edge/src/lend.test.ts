import { connect, createServer, type Socket } from 'node:net';
import { lend } from '@sallyport/proxy';
import { afterEach, expect, test } from 'vitest';
import { createInlet } from './inlet.ts';
import { until } from './testing/stage.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Both ends of a connection; the accepted one reads as `take` says. */
async function pair(take: (chunk: Buffer, isLent: boolean) => boolean) {
  let accepted: Socket | undefined;
  let isLent: boolean | undefined;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted = socket;
    isLent = lend(socket, createInlet(take));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const client = connect({ host: '127.0.0.1', port: (server.address() as { port: number }).port });
  closing.push(() => {
    client.destroy();
    accepted?.destroy();
    server.close();
  });
  await until('it is accepted', () => accepted !== undefined);
  return { client, accepted: accepted as Socket, isLent };
}

test('an accepted socket reads into memory that it is given: Node has inside what it had', async () => {
  const sent = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
  const got: Buffer[] = [];
  let lentCount = 0;
  const { client, accepted, isLent } = await pair((chunk, lent) => {
    if (lent) lentCount += 1;
    got.push(Buffer.from(chunk));
    return true;
  });
  let events = 0;
  accepted.on('data', () => {
    events += 1;
  });
  client.write(sent);
  await until('all is there', () => got.reduce((sum, { length }) => sum + length, 0) === sent.length);
  expect([isLent, Buffer.concat(got).equals(sent), lentCount > 0, events]).toEqual([true, true, true, 0]);
});

test('and reads no more after a no, until it is told to; its end comes after its bytes', async () => {
  const got: Buffer[] = [];
  const { client, accepted } = await pair((chunk) => {
    got.push(Buffer.from(chunk));
    return false;
  });
  let ended = false;
  accepted.on('end', () => {
    ended = true;
  });
  client.end('first');
  await until('the first is there', () => got.length === 1);
  expect(ended).toBe(false);
  accepted.resume();
  await until('the end is there', () => ended);
  expect(Buffer.concat(got).toString()).toBe('first');
});

test('a socket that is no more is left as it is', () => {
  const socket = connect({ host: '127.0.0.1', port: 1 });
  socket.on('error', () => undefined);
  socket.destroy();
  expect(
    lend(
      socket,
      createInlet(() => true),
    ),
  ).toBe(false);
});
