import { type AddressInfo, createServer as createTcp } from 'node:net';
import { describe, expect, test } from 'vitest';
import { alert, helloFor } from './testing/first-bytes.ts';
import { refusals, stage, stagePerTest, start, upstream } from './testing/per-test.ts';
import { recordOf } from './testing/records.ts';
import { hostOf, until } from './testing/stage.ts';

stagePerTest();

describe('where a host is', () => {
  test('is waited for until the first snapshot', async () => {
    await start({ knowsNothing: true });
    const [known, unknown] = [stage.connect(), stage.connect()];
    known.socket.write(helloFor('web'));
    unknown.socket.write(helloFor('nobody'));
    await until('both wait', () => stage.waitCount() === 2);
    stage.say({
      kind: 'snapshot',
      pages: [[{ record: recordOf(hostOf('web'), upstream.port), ttlMs: 5_000 }]],
      removed: [],
      token: '0',
    });
    await until('one is passed on', () => upstream.accepted.length === 1);
    await until('one is refused', () => unknown.bytes().equals(alert('unrecognizedName')));
  });

  test('is not guessed when no record comes in time', async () => {
    await start({ knowsNothing: true });
    const client = stage.connect();
    client.socket.write(helloFor('web'));
    await until('it waits', () => stage.waitCount() === 1);
    stage.clock.advance(10_500);
    await until('the alert is there', () => client.bytes().equals(alert('internalError')));
    expect(refusals()).toEqual(['no-record']);
  });

  test('is awaited while an owner takes over, and the new one gets the connection', async () => {
    await start();
    stage.publish('web', 1);
    stage.remove('web', 'owner-changed');
    const client = stage.connect();
    client.socket.write(helloFor('web'));
    await until('it waits', () => stage.waitCount() === 1);
    stage.publish('web', upstream.port, { ownerEpoch: 2n });
    await until('it is passed on', () => upstream.accepted.length === 1);
    expect(refusals()).toEqual([]);
  });

  test('is unknown at once after a withdrawal, also to who waits', async () => {
    await start();
    stage.publish('web', 1);
    stage.remove('web', 'session-lost');
    const waiting = stage.connect();
    waiting.socket.write(helloFor('web'));
    await until('it waits', () => stage.waitCount() === 1);
    stage.publish('web', await refusingPort());
    stage.remove('web', 'withdrawn');
    await until('it is refused', () => waiting.bytes().equals(alert('unrecognizedName')));
    const later = stage.connect();
    later.socket.write(helloFor('web'));
    await until('the next is refused', () => later.bytes().equals(alert('unrecognizedName')));
  });

  test('is forgotten a minute after its record went', async () => {
    await start();
    stage.publish('web', 1);
    stage.remove('web', 'session-lost');
    stage.clock.advance(60_000);
    const client = stage.connect();
    client.socket.write(helloFor('web'));
    await until('it is refused', () => client.bytes().equals(alert('unrecognizedName')));
  });

  test('is not used past its time, whatever timers did', async () => {
    await start();
    stage.publish('web', upstream.port, { ttlMs: 1_000 });
    stage.clock.stall(1_000);
    const client = stage.connect();
    client.socket.write(helloFor('web'));
    await until('it waits', () => stage.waitCount() === 1);
    expect(upstream.accepted).toEqual([]);
    stage.renew(20_000);
    stage.clock.advance(500);
    await until('it is passed on once the record is renewed', () => upstream.accepted.length === 1);
  });

  test('a refused dial goes on at the newer record', async () => {
    await start();
    stage.publish('web', await refusingPort());
    const client = stage.connect();
    client.socket.write(helloFor('web'));
    await until('the dial has failed', () => stage.dialFaults.length === 1);
    stage.publish('web', upstream.port, { ownerEpoch: 2n });
    await until('it is passed on', () => upstream.accepted.length === 1);
    expect([stage.dialFaults, refusals()]).toEqual([['refused'], []]);
  });

  test.each(['localhost', ''])('is an address: the name %j is not looked up', async (address) => {
    await start();
    const record = recordOf(hostOf('web'), upstream.port);
    const named = { ...record, endpoint: { ...record.endpoint, address } };
    stage.say({ kind: 'snapshot', pages: [[{ record: named, ttlMs: 13_000 }]], removed: [], token: '0' });
    const client = stage.connect();
    client.socket.write(helloFor('web'));
    await until('the dial has failed', () => stage.dialFaults.length === 1);
    expect([stage.dialFaults, upstream.accepted.length]).toEqual([['other'], 0]);
  });

  test('a refused dial without a newer record is an alert in the end', async () => {
    await start();
    stage.publish('web', await refusingPort(), { ttlMs: 60_000 });
    const client = stage.connect();
    client.socket.write(helloFor('web'));
    for (let dials = 1; dials <= 3; dials += 1) {
      await until('another dial has failed', () => stage.dialFaults.length >= dials);
      stage.clock.advance(1_500);
    }
    stage.clock.advance(10_000);
    await until('the alert is there', () => client.bytes().equals(alert('internalError')));
    expect(refusals()).toEqual(['unreachable']);
  });
});

/** A port at which nobody listens. */
async function refusingPort(): Promise<number> {
  const server = createTcp();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((closed) => server.close(() => closed()));
  return port;
}
