import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { parseCidrs } from '@sallyport/proxy';
import { ALERTS } from '@sallyport/tls-hello';
import { hello, keyShares, records, serverName, versions } from '@sallyport/tls-hello/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { proxyHeader } from './proxy-header.ts';
import { recordOf } from './testing/records.ts';
import {
  type Client,
  hostOf,
  type Stage,
  type StageOptions,
  startStage,
  startUpstream,
  type Upstream,
  until,
} from './testing/stage.ts';

const helloFor = (name: string): Buffer =>
  Buffer.from(records(hello({ extensions: [serverName(hostOf(name)), versions, keyShares()] })));
const alert = (name: keyof typeof ALERTS): Buffer => Buffer.from([21, 3, 3, 0, 2, 2, ALERTS[name]]);

let stage: Stage;
let upstream: Upstream;
const start = async (options?: StageOptions): Promise<void> => {
  stage = await startStage(options);
};

beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(async () => {
  await stage.close();
  await upstream.close();
});

async function passOn(name = 'web'): Promise<{ client: Client; supervisor: Client }> {
  const before = upstream.accepted.length;
  const client = stage.connect();
  client.socket.write(helloFor(name));
  await until('the hello is there', () => (upstream.accepted[before]?.bytes().length ?? 0) === helloFor(name).length);
  return { client, supervisor: upstream.accepted[before] as Client };
}
const refusals = (): string[] => stage.refused.map(({ reason }) => reason);
const endings = (): string[] => stage.ended.map(({ ending }) => ending);

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
    const { client, supervisor } = await passOn();
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
    const { client, supervisor } = await passOn();
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
    ['that reads late', true],
    ['that reads at once', false],
  ])(
    'brings a client %s every byte in order, in chunks of all sizes',
    async (_title, isLate) => {
      await start();
      stage.publish('web', upstream.port);
      const { client, supervisor } = await passOn();
      const other = await passOn();
      const sent: Buffer[] = [];
      for (let size = 1; size < 3_000_000; size = Math.ceil(size * 3.1)) sent.push(randomBytes(size), randomBytes(size % 977));
      if (isLate) client.socket.pause();
      for (const [index, bytes] of sent.entries()) {
        supervisor.socket.write(bytes);
        // Another connection reads between: none must find its bytes in the other's.
        other.supervisor.socket.write(bytes.subarray(0, 20_000));
        await until('some of it has gone', () => supervisor.socket.writableLength === 0 || client.socket.isPaused());
        if (index > 10) client.socket.resume();
      }
      const all = Buffer.concat(sent);
      await until('all is there', () => client.bytes().length === all.length, 20_000);
      expect(client.bytes().equals(all)).toBe(true);
      const beside = Buffer.concat(sent.map((bytes) => bytes.subarray(0, 20_000)));
      await until('all of the other is there', () => other.client.bytes().length === beside.length);
      expect(other.client.bytes().equals(beside)).toBe(true);
    },
    30_000,
  );

  test.each(['client', 'supervisor'] as const)('is reset when the %s resets', async (who) => {
    await start();
    stage.publish('web', upstream.port);
    const both = await passOn();
    const other = who === 'client' ? both.supervisor : both.client;
    both[who].socket.resetAndDestroy();
    await until('the other hears', () => other.error() === 'ECONNRESET');
    expect(endings()).toEqual([`${who}-reset`]);
  });
});

describe('what is refused', () => {
  const rows: [title: string, bytes: Buffer, reason: string, answer: Buffer][] = [
    ['a name that nobody publishes', helloFor('nobody'), 'name-unknown', alert('unrecognizedName')],
    ['no name', Buffer.from(records(hello({ extensions: [versions] }))), 'no-server-name', alert('missingExtension')],
    [
      'a name that is none',
      Buffer.from(records(hello({ extensions: [serverName('a b')] }))),
      'server-name-bad',
      alert('unrecognizedName'),
    ],
    ['a broken hello', Buffer.from(records([1, 0, 0, 1, 3])), 'malformed', alert('decodeError')],
    ['an endless hello', Buffer.from([22, 3, 1, 0x40, 0, 1, 0xff, 0xff, 0xff]), 'too-large', alert('internalError')],
    ['plain HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: web.apps.test\r\n\r\n'), 'not-tls', Buffer.alloc(0)],
  ];
  test.each(rows)('%s', async (_title, bytes, reason, answer) => {
    await start();
    stage.publish('web', upstream.port);
    const client = stage.connect();
    client.socket.write(bytes);
    await until('the client hears', () => client.hasEnded() || client.isClosed());
    expect([client.bytes(), refusals()]).toEqual([answer, [reason]]);
    client.socket.end();
    await until('it is closed', () => stage.door.connectionCount() === 0);
    expect([upstream.accepted.length, stage.door.pendingCount()]).toEqual([0, 0]);
  });

  test('a hello that does not come to its end', async () => {
    await start();
    const client = stage.connect();
    client.socket.write(helloFor('web').subarray(0, 100));
    await until('it is accepted', () => stage.door.connectionCount() === 1);
    stage.clock.advance(10_500);
    await until('it is closed', () => client.hasEnded() || client.isClosed());
    expect(refusals()).toEqual(['hello-timeout']);
  });

  test('a client that hears an alert and stays', async () => {
    await start();
    const client = stage.connect();
    client.socket.write(helloFor('nobody'));
    await until('the alert is there', () => client.bytes().length > 0);
    stage.clock.advance(1_500);
    await until('it is closed', () => stage.door.connectionCount() === 0);
  });

  test.each([
    ['of the process', { connectionsMax: 1 }, 'over-process-limit'],
    ['of one client', { connectionsPerClientMax: 1 }, 'over-client-limit'],
    ['of those that are not passed on yet', { pendingMax: 1 }, 'over-pending-limit'],
  ])('one connection more than the limit %s', async (_title, limits, reason) => {
    await start({ limits });
    const first = stage.connect();
    await until('the first is in', () => stage.door.connectionCount() === 1);
    const second = stage.connect();
    await until('the second is out', () => second.hasEnded() || second.isClosed());
    expect([refusals(), stage.door.connectionCount()]).toEqual([[reason], 1]);
    first.socket.destroy();
    await until('the first is out', () => stage.door.connectionCount() === 0);
    const third = stage.connect();
    await until('there is room again', () => stage.door.connectionCount() === 1);
    third.socket.destroy();
  });

  test('one connection more than the limit of its host', async () => {
    await start({ limits: { connectionsPerHostMax: 1 } });
    stage.publish('web', upstream.port);
    await passOn();
    const second = stage.connect();
    second.socket.write(helloFor('web'));
    await until('the alert is there', () => second.bytes().equals(alert('internalError')));
    expect(refusals()).toEqual(['over-host-limit']);
  });
});

describe('where a host is', () => {
  test('is waited for until the first snapshot', async () => {
    await start({ knowsNothing: true });
    const [known, unknown] = [stage.connect(), stage.connect()];
    known.socket.write(helloFor('web'));
    unknown.socket.write(helloFor('nobody'));
    await until('both wait', () => stage.waitCount() === 2);
    stage.say({
      kind: 'snapshot',
      records: [{ record: recordOf(hostOf('web'), upstream.port), ttlMs: 5_000 }],
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

describe('a live connection', () => {
  test.each(['withdrawn', 'session-lost', 'grant-revoked', 'owner-changed'] as const)(
    'is reset when its record is %s',
    async (reason) => {
      await start();
      stage.publish('web', upstream.port);
      stage.publish('api', upstream.port);
      const { client, supervisor } = await passOn();
      const other = await passOn('api');
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
    const { client } = await passOn();
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
    const { client, supervisor } = await passOn();
    stage.publish('web', 1, { ownerEpoch: 2n });
    client.socket.write('in flight');
    await until('it goes on', () => supervisor.bytes().includes('in flight'));
    stage.clock.stall(5_000);
    client.socket.write('too late');
    await until('it hears', () => client.error() === 'ECONNRESET');
    expect([supervisor.bytes().includes('too late'), endings()]).toEqual([false, ['moved']]);
  });

  test('stays when its record says the same again, or is renewed', async () => {
    await start();
    stage.publish('web', upstream.port, { ttlMs: 5_000 });
    const { client, supervisor } = await passOn();
    stage.publish('web', upstream.port, { ttlMs: 5_000, ownerEpoch: 2n });
    stage.renew(13_000);
    stage.clock.advance(10_000);
    client.socket.write('still here');
    await until('it goes on', () => supervisor.bytes().includes('still here'));
  });

  test('gets no byte past the time of its record, whatever timers did', async () => {
    await start();
    stage.publish('web', upstream.port, { ttlMs: 2_000 });
    const { client, supervisor } = await passOn();
    stage.clock.stall(2_000);
    client.socket.write('too late');
    await until('it hears', () => client.error() === 'ECONNRESET');
    expect([supervisor.bytes().includes('too late'), endings()]).toEqual([false, ['lapsed']]);
  });

  test('is ended by silence, sooner once one side has ended', async () => {
    await start({ limits: { silenceMs: 60_000 } });
    stage.publish('web', upstream.port, { ttlMs: 1_000_000 });
    const [first, second] = [await passOn(), await passOn()];
    second.client.socket.end();
    await until('the end is there', () => second.supervisor.hasEnded());
    stage.clock.advance(30_500);
    await until('the half-closed one is over', () => endings().length === 1);
    stage.clock.advance(30_000);
    await until('the silent one is over', () => first.client.error() === 'ECONNRESET');
    expect(endings()).toEqual(['half-closed', 'silent']);
  });
});

describe('whose connection it is', () => {
  test('is told to supervisors where that is wanted', async () => {
    await start({ sendsProxy: true });
    stage.publish('web', upstream.port);
    const client = stage.connect();
    client.socket.write(helloFor('web'));
    await until('all is there', () => (upstream.accepted[0]?.bytes().length ?? 0) > 28);
    const { localPort = 0, remotePort = 0 } = client.socket;
    const header = proxyHeader({
      source: '127.0.0.1',
      sourcePort: localPort,
      destination: '127.0.0.1',
      destinationPort: remotePort,
    });
    expect(upstream.accepted[0]?.bytes().equals(Buffer.concat([header, helloFor('web')]))).toBe(true);
  });

  const balancer = parseCidrs(['127.0.0.0/8']);
  const stating = (source: string): Buffer =>
    proxyHeader({ source, sourcePort: 7, destination: '10.0.0.1', destinationPort: 443 });

  test('is believed of a trusted balancer, which does not count itself', async () => {
    if (!balancer.ok) throw new Error(balancer.error);
    await start({ trusted: balancer.value, sendsProxy: true, limits: { connectionsPerClientMax: 1 } });
    stage.publish('web', upstream.port);
    const [first, second, other] = [stage.connect(), stage.connect(), stage.connect()];
    first.socket.write(Buffer.concat([stating('192.0.2.9'), helloFor('web')]));
    await until('it is passed on', () => upstream.accepted.length === 1);
    second.socket.write(Buffer.concat([stating('192.0.2.9'), helloFor('web')]));
    await until('one more of that client is refused', () => refusals().length === 1);
    const bytes = Buffer.concat([stating('2001:db8::7'), helloFor('web')]);
    for (let at = 0; at < bytes.length; at += 11) other.socket.write(bytes.subarray(at, at + 11));
    await until('another client is passed on', () => upstream.accepted.length === 2);
    expect(stage.refused).toEqual([{ reason: 'over-client-limit', client: '192.0.2.9' }]);
    const sent = upstream.accepted[0]?.bytes() ?? Buffer.alloc(0);
    expect([[...sent.subarray(16, 20)], sent.length]).toEqual([[192, 0, 2, 9], 28 + helloFor('web').length]);
  });

  test('is not believed of anybody else', async () => {
    await start();
    const client = stage.connect();
    client.socket.write(Buffer.concat([stating('192.0.2.9'), helloFor('web')]));
    await until('it is closed', () => client.hasEnded() || client.isClosed());
    expect(stage.refused).toEqual([{ reason: 'not-tls', client: '127.0.0.1' }]);
  });
});

describe('the end', () => {
  test('accepts nothing more, lets connections go on, and cuts them at the deadline', async () => {
    await start();
    stage.publish('web', upstream.port);
    const { client, supervisor } = await passOn();
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

/** A port at which nobody listens. */
async function refusingPort(): Promise<number> {
  const server = createTcp();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((closed) => server.close(() => closed()));
  return port;
}
