import { parseCidrs } from '@sallyport/proxy';
import { hello, records, serverName, versions } from '@sallyport/tls-hello/testing';
import { describe, expect, test } from 'vitest';
import { proxyHeader } from './proxy-header.ts';
import { alert, helloFor, passOn } from './testing/first-bytes.ts';
import { refusals, stage, stagePerTest, start, upstream } from './testing/per-test.ts';
import { until } from './testing/stage.ts';

stagePerTest();

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
    ['of those of one client', { pendingPerClientMax: 1 }, 'over-client-pending-limit'],
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

  test('no connection for those of its client that were passed on, or refused', async () => {
    await start({ limits: { pendingPerClientMax: 1 } });
    stage.publish('web', upstream.port);
    await passOn(stage, upstream);
    const refused = stage.connect();
    refused.socket.write(helloFor('nobody'));
    await until('the alert is there', () => refused.bytes().length > 0);
    await passOn(stage, upstream);
    expect(refusals()).toEqual(['name-unknown']);
  });

  test('one connection more than the limit of its host', async () => {
    await start({ limits: { connectionsPerHostMax: 1 } });
    stage.publish('web', upstream.port);
    await passOn(stage, upstream);
    const second = stage.connect();
    second.socket.write(helloFor('web'));
    await until('the alert is there', () => second.bytes().equals(alert('internalError')));
    expect(refusals()).toEqual(['over-host-limit']);
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

  test('is believed before the share of those that are not passed on is taken', async () => {
    if (!balancer.ok) throw new Error(balancer.error);
    await start({ trusted: balancer.value, limits: { pendingPerClientMax: 1 } });
    const [one, another, next] = [stage.connect(), stage.connect(), stage.connect()];
    await until('all are in', () => stage.door.pendingCount() === 3);
    for (const { socket } of [one, another]) socket.write(stating('192.0.2.9'));
    await until('one of them is too many', () => [one, another].some((each) => each.hasEnded() || each.isClosed()));
    for (const { socket } of [one, another]) socket.destroy();
    await until('both are gone', () => stage.door.connectionCount() === 1);
    next.socket.end(stating('192.0.2.9'));
    await until('the next came to its own end', () => stage.door.connectionCount() === 0);
    const [tooMany, gone] = ['over-client-pending-limit', 'client-gone'];
    expect(stage.refused).toEqual([tooMany, gone, gone].map((reason) => ({ reason, client: '192.0.2.9' })));
  });

  test('is not believed of anybody else', async () => {
    await start();
    const client = stage.connect();
    client.socket.write(Buffer.concat([stating('192.0.2.9'), helloFor('web')]));
    await until('it is closed', () => client.hasEnded() || client.isClosed());
    expect(stage.refused).toEqual([{ reason: 'not-tls', client: '127.0.0.1' }]);
  });
});
