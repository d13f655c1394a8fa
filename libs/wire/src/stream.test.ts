import { type Failure, failure, fenced, ok } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { openServerStream, openStream } from './client.ts';
import { ComputeDriverServiceService as driver } from './gen/sallyport/driver/v1/driver.ts';
import { SupervisorServiceService as supervisor } from './gen/sallyport/supervisor/v1/supervisor.ts';
import { OUTGOING_MAX } from './outgoing.ts';
import { drivers, link, serve, supervisors } from './testing/wired.ts';

describe('a stream in both directions', () => {
  const lines = async (received: AsyncIterable<{ response?: { $case: string } | undefined }>): Promise<string[]> => {
    const all: string[] = [];
    for await (const { response } of received) all.push(response?.$case ?? '');
    return all;
  };
  const beat = (sequence: number) => ({ request: { $case: 'heartbeat' as const, value: { sequence: BigInt(sequence) } } });
  const ack = { response: { $case: 'heartbeatAck' as const, value: { sequence: 1n, ageMs: 0 } } };

  test('carries messages both ways and ends in good order', async () => {
    const server = await serve([
      supervisors(async (stream) => {
        for await (const _request of stream.received) stream.send(ack);
        return ok(undefined);
      }),
    ]);
    const stream = openStream(link(server), supervisor.session);
    for (let sequence = 0; sequence < 50; sequence += 1) expect(stream.send(beat(sequence))).toBe(true);
    stream.end();
    expect(stream.send(beat(51))).toBe(false);
    expect(await lines(stream.received)).toHaveLength(50);
    expect(await stream.closed).toBeUndefined();
    expect(stream.signal.aborted).toBe(true);
  });

  test('brings back why the handler refused, after what it had sent', async () => {
    const server = await serve([
      supervisors(async (stream) => {
        stream.send(ack);
        await stream.received[Symbol.asyncIterator]().next();
        return { ok: false, error: fenced('credential', 'revoked') };
      }),
    ]);
    const stream = openStream(link(server), supervisor.session);
    const received = lines(stream.received);
    stream.send(beat(1));
    expect(await stream.closed).toEqual(fenced('credential', 'revoked'));
    expect(await received).toEqual(['heartbeatAck']);
  });

  // Not why: Node's client ends its side in good order before it resets the stream.
  test('tells the handler when the client has gone', async () => {
    const ended = Promise.withResolvers<void>();
    const server = await serve([
      supervisors(async (stream) => {
        for await (const _request of stream.received);
        await stream.closed;
        expect(stream.signal.aborted).toBe(true);
        ended.resolve();
        return ok(undefined);
      }),
    ]);
    const to = link(server);
    const stream = openStream(to, supervisor.session);
    stream.send(beat(1));
    await expect.poll(() => to.client.getChannel().getConnectivityState(false)).toBe(2);
    stream.fail(failure('not-ready', 'changed my mind'));
    await ended.promise;
    expect(await stream.closed).toMatchObject({ message: 'changed my mind' });
  });

  test('ends a reader that does not keep up, and lets go of what waits for it', async () => {
    const closed = Promise.withResolvers<Failure | undefined>();
    const server = await serve([
      supervisors(async (stream) => {
        void stream.closed.then(closed.resolve);
        const big = { response: { $case: 'fence' as const, value: { token: 'x'.repeat(100_000) } } };
        let sent = 0;
        while (stream.send(big)) sent += 1;
        expect(sent).toBeGreaterThanOrEqual(OUTGOING_MAX);
        expect(stream.send(big)).toBe(false);
        return ok(undefined);
      }),
    ]);
    const stream = openStream(link(server), supervisor.session);
    stream.send(beat(1));
    expect(await closed.promise).toMatchObject({ kind: 'lagging' });
    expect((await lines(stream.received)).length).toBeLessThan(OUTGOING_MAX);
    expect(await stream.closed).toMatchObject({ kind: 'over-limit', message: `the reader is ${OUTGOING_MAX} messages behind` });
  });

  test('a slow handler holds the client back', async () => {
    const go = Promise.withResolvers<void>();
    const server = await serve([
      supervisors(async (stream) => {
        await go.promise;
        for await (const _request of stream.received);
        return ok(undefined);
      }),
    ]);
    const stream = openStream(link(server), supervisor.session);
    const reason = 'x'.repeat(100_000);
    const rejected = { request: { $case: 'rejected' as const, value: { revision: 1n, hash: '', ownerEpoch: 0n, reason } } };
    // Windows and queues take a few MiB; then the bound is reached.
    while (stream.send(rejected)) await new Promise(setImmediate);
    go.resolve();
    expect(await stream.closed).toMatchObject({ kind: 'lagging' });
  });

  test('a message that is none ends it as malformed', async () => {
    const server = await serve([
      supervisors(async (stream) => {
        for await (const _request of stream.received);
        return ok(undefined);
      }),
    ]);
    const stream = openStream(link(server), { ...supervisor.session, requestSerialize: () => Buffer.from([255, 255]) });
    stream.send(beat(1));
    expect(await stream.closed).toMatchObject({ kind: 'malformed' });
  });

  test('a fault of the handler ends it, and the process goes on', async () => {
    const server = await serve([supervisors(async () => Promise.reject(new Error('secret')))]);
    const stream = openStream(link(server), supervisor.session);
    expect(await stream.closed).toEqual(failure('not-ready', 'INTERNAL: internal error'));
  });

  test('a server that cannot be reached is a failure of the stream, not an error', async () => {
    const server = await serve([drivers({})]);
    await server.close(0);
    expect(await openStream(link(server), supervisor.session).closed).toMatchObject({ kind: 'not-ready' });
  });
});

describe('a stream of answers', () => {
  test('arrives whole, even to a slow reader', async () => {
    const server = await serve([
      drivers({
        watchSandboxes: async (_request, stream) => {
          for (let index = 0; index < 100; index += 1)
            stream.send({ event: { $case: 'removed', value: { workspace: 'w', sandbox: `s${index}`, runtimeId: 'r' } } });
          return ok(undefined);
        },
      }),
    ]);
    const stream = openServerStream(link(server), driver.watchSandboxes, {});
    let count = 0;
    for await (const _event of stream.received) {
      count += 1;
      await new Promise(setImmediate);
    }
    expect(count).toBe(100);
    expect(await stream.closed).toBeUndefined();
  });
});
