import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { helloFor, passOn } from './testing/first-bytes.ts';
import { endings, stage, stagePerTest, start, upstream } from './testing/per-test.ts';
import { startUpstream, until } from './testing/stage.ts';

stagePerTest();

describe('a live connection', () => {
  test.each(['withdrawn', 'session-lost', 'grant-revoked', 'owner-changed'] as const)(
    'is reset when its record is %s',
    async (reason) => {
      await start();
      stage.publish('web', upstream.port);
      stage.publish('api', upstream.port);
      const { client, supervisor } = await passOn(stage, upstream);
      const other = await passOn(stage, upstream, 'api');
      stage.remove('web', reason);
      await until('both hear', () => client.error() === 'ECONNRESET' && supervisor.error() === 'ECONNRESET');
      other.client.socket.write('goes on');
      await until('the other goes on', () => other.supervisor.bytes().includes('goes on'));
      expect(endings()).toEqual([reason]);
    },
  );

  test('is reset when its record moves, and new ones go to the new owner', async () => {
    await start();
    const successor = await startUpstream();
    stage.publish('web', upstream.port);
    const { client } = await passOn(stage, upstream);
    stage.publish('web', successor.port, { ownerEpoch: 2n });
    await until('it hears', () => client.error() === 'ECONNRESET');
    const next = stage.connect();
    next.socket.write(helloFor('web'));
    await until('the successor has it', () => successor.accepted.length === 1);
    expect([upstream.accepted.length, endings()]).toEqual([1, ['moved']]);
    await successor.close();
  });

  test('may go on for a while after a handover, where that is wanted, and no byte longer', async () => {
    await start({ limits: { handoverMs: 5_000 } });
    stage.publish('web', upstream.port);
    const { client, supervisor } = await passOn(stage, upstream);
    stage.publish('web', 1, { ownerEpoch: 2n });
    client.socket.write('in flight');
    await until('it goes on', () => supervisor.bytes().includes('in flight'));
    stage.clock.stall(5_000);
    client.socket.write('too late');
    await until('it hears', () => client.error() === 'ECONNRESET');
    expect([supervisor.bytes().includes('too late'), endings()]).toEqual([false, ['moved']]);
  });

  test('is ended by a withdrawal also in that while', async () => {
    await start({ limits: { handoverMs: 5_000 } });
    stage.publish('web', upstream.port);
    const { client } = await passOn(stage, upstream);
    stage.publish('web', 1, { ownerEpoch: 2n });
    stage.publish('web', 2, { ownerEpoch: 3n });
    expect(endings()).toEqual([]);
    stage.remove('web', 'withdrawn');
    await until('it hears', () => client.error() === 'ECONNRESET');
    expect(endings()).toEqual(['withdrawn']);
  });

  test('stays when its record says the same again, or is renewed', async () => {
    await start();
    stage.publish('web', upstream.port, { ttlMs: 5_000 });
    const { client, supervisor } = await passOn(stage, upstream);
    stage.publish('web', upstream.port, { ttlMs: 5_000, ownerEpoch: 2n });
    stage.renew(13_000);
    stage.clock.advance(10_000);
    client.socket.write('still here');
    await until('it goes on', () => supervisor.bytes().includes('still here'));
  });

  test('gets no byte past the time of its record, whatever timers did', async () => {
    await start();
    stage.publish('web', upstream.port, { ttlMs: 2_000 });
    const { client, supervisor } = await passOn(stage, upstream);
    stage.clock.stall(2_000);
    client.socket.write('too late');
    await until('it hears', () => client.error() === 'ECONNRESET');
    expect([supervisor.bytes().includes('too late'), endings()]).toEqual([false, ['lapsed']]);
  });

  test('is ended with its record also after both sides have ended, as long as a byte is on its way', async () => {
    await start();
    stage.publish('web', upstream.port);
    let ours: Socket | undefined;
    const dialled = (message: unknown): void => {
      const { socket } = message as { socket: Socket };
      socket.once('connect', () => {
        if (socket.remotePort === upstream.port) ours = socket;
      });
    };
    subscribe('net.client.socket', dialled);
    const { client, supervisor } = await passOn(stage, upstream);
    unsubscribe('net.client.socket', dialled);
    supervisor.socket.pause();
    // Until the edge itself holds what the system takes no more.
    while (ours?.writableLength === 0) {
      client.socket.write(Buffer.alloc(16_384));
      await turn();
    }
    client.socket.end();
    supervisor.socket.end();
    // The client's own end waits behind its bytes.
    await until('the end is there', () => client.hasEnded());
    expect(endings()).toEqual([]);
    stage.remove('web', 'withdrawn');
    expect(endings()).toEqual(['withdrawn']);
    supervisor.socket.resume();
    await until('it is cut short', () => supervisor.error() === 'ECONNRESET');
  });

  test('is ended by silence, sooner once one side has ended', async () => {
    await start({ limits: { silenceMs: 60_000 } });
    stage.publish('web', upstream.port, { ttlMs: 1_000_000 });
    const [first, second] = [await passOn(stage, upstream), await passOn(stage, upstream)];
    second.client.socket.end();
    await until('the end is there', () => second.supervisor.hasEnded());
    stage.clock.advance(30_500);
    await until('the half-closed one is over', () => endings().length === 1);
    stage.clock.advance(30_000);
    await until('the silent one is over', () => first.client.error() === 'ECONNRESET');
    expect(endings()).toEqual(['half-closed', 'silent']);
  });
});
