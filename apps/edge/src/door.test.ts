import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { helloFor, passOn } from './testing/first-bytes.ts';
import { endings, stage, stagePerTest, start, upstream } from './testing/per-test.ts';
import { type Client, hostOf, until } from './testing/stage.ts';

stagePerTest();

describe('a connection to a published host', () => {
  test('reaches its supervisor byte by byte as it was sent, and goes both ways', async () => {
    await start();
    stage.publish('web', upstream.port);
    const client = stage.connect();
    const bytes = helloFor('web');
    for (let at = 0; at < bytes.length; at += 97) client.socket.write(bytes.subarray(at, at + 97));
    client.socket.write('and more');
    await until(
      'all is there',
      () => upstream.accepted[0]?.bytes().equals(Buffer.concat([bytes, Buffer.from('and more')])) === true,
    );
    upstream.accepted[0]?.socket.write('an answer');
    await until('the answer is there', () => client.bytes().toString() === 'an answer');
    client.socket.end();
    upstream.accepted[0]?.socket.end();
    await until('both ended', () => endings().length === 1);
    expect(stage.ended[0]).toMatchObject({ host: hostOf('web'), ending: 'complete', bytesIn: bytes.length + 8, bytesOut: 9 });
  });

  test('is half-closed either way', async () => {
    await start();
    stage.publish('web', upstream.port);
    const { client, supervisor } = await passOn(stage, upstream);
    client.socket.end('last words');
    await until('the end is there', () => supervisor.hasEnded());
    supervisor.socket.write('still answering');
    await until('the answer is there', () => client.bytes().toString() === 'still answering');
    supervisor.socket.end();
    await until('it is over', () => stage.door.connectionCount() === 0);
    expect(endings()).toEqual(['complete']);
  });

  test('is half-closed by a client that ends with its first bytes', async () => {
    await start();
    stage.publish('web', upstream.port);
    const client = stage.connect();
    client.socket.end(helloFor('web'));
    await until('both are there', () => upstream.accepted[0]?.hasEnded() === true);
    upstream.accepted[0]?.socket.end('an answer');
    await until('the answer is there', () => client.bytes().toString() === 'an answer' && client.hasEnded());
    await until('it is over', () => stage.door.connectionCount() === 0);
    expect(endings()).toEqual(['complete']);
  });

  test('makes a client wait whose supervisor does not read', async () => {
    await start();
    stage.publish('web', upstream.port);
    const { client, supervisor } = await passOn(stage, upstream);
    supervisor.socket.pause();
    const chunk = Buffer.alloc(1_048_576);
    let isTaken = true;
    for (let count = 0; count < 200 && isTaken; count += 1) isTaken = client.socket.write(chunk);
    await until('the client has to wait', () => client.socket.writableNeedDrain);
    stage.clock.advance(500);
    expect(stage.passedIn()).toBeLessThan(client.socket.bytesWritten + client.socket.writableLength);
    supervisor.socket.resume();
    await until('all is there', () => supervisor.bytes().length === client.socket.bytesWritten);
  });

  test.each([
    ['small chunks', 8_000],
    ['large chunks', 1_000_000],
  ])(
    'brings a client that reads late every byte in order, in %s, and nobody another’s',
    async (_title, size) => {
      await start();
      stage.publish('web', upstream.port);
      const { client, supervisor } = await passOn(stage, upstream);
      const other = await passOn(stage, upstream);
      client.socket.pause();
      const [sent, beside]: [Buffer[], Buffer[]] = [[], []];
      const send = (to: Client, list: Buffer[], bytes: Buffer): void => {
        list.push(bytes);
        to.socket.write(bytes);
      };
      // Until nothing more fits anywhere between: the edge then holds what it could not write.
      for (let count = 0; !supervisor.socket.writableNeedDrain && count < 5_000; count += 1) {
        send(supervisor, sent, randomBytes(size));
        await turn();
      }
      // Another connection uses the memory that is in common.
      for (let count = 0; count < 20; count += 1) {
        send(other.supervisor, beside, randomBytes(count % 2 === 0 ? 15_000 : 200_000));
        await turn();
      }
      const isThere = (at: Client, list: readonly Buffer[]) => (): boolean =>
        at.bytes().length === list.reduce((sum, { length }) => sum + length, 0);
      await until('the other has all', isThere(other.client, beside), 60_000);
      client.socket.resume();
      await until('all is there', isThere(client, sent), 60_000);
      expect(client.bytes().equals(Buffer.concat(sent))).toBe(true);
      expect(other.client.bytes().equals(Buffer.concat(beside))).toBe(true);
    },
    120_000,
  );

  test.each(['client', 'supervisor'] as const)('is reset when the %s resets', async (who) => {
    await start();
    stage.publish('web', upstream.port);
    const both = await passOn(stage, upstream);
    const other = who === 'client' ? both.supervisor : both.client;
    both[who].socket.resetAndDestroy();
    await until('the other hears', () => other.error() === 'ECONNRESET');
    expect(endings()).toEqual([`${who}-reset`]);
  });
});

describe('the end', () => {
  test('accepts nothing more, lets connections go on, and cuts them at the deadline', async () => {
    await start();
    stage.publish('web', upstream.port);
    const { client, supervisor } = await passOn(stage, upstream);
    const deadline = new AbortController();
    const drained = stage.door.drain(deadline.signal);
    const late = stage.connect();
    await until('the door is shut', () => late.error() === 'ECONNREFUSED');
    client.socket.write('goes on');
    await until('it goes on', () => supervisor.bytes().includes('goes on'));
    deadline.abort();
    await drained;
    await until('it hears', () => client.error() === 'ECONNRESET');
    expect(endings()).toEqual(['drained']);
  });
});
