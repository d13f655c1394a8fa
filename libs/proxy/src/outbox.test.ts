import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer, type Socket } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOutbox } from './outbox.ts';
import { createSlabs, type Slabs } from './slabs.ts';
import { makePair } from './testing/certificate.ts';
import { until } from './testing/until.ts';

/** Both ends of one TLS connection. */
let sender: TLSSocket;
let reader: TLSSocket;
let read = Buffer.alloc(0);
let close = (): void => {};

beforeAll(async () => {
  const server = createServer(makePair(['a.test']));
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  reader = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  [sender] = (await once(server, 'secureConnection')) as [TLSSocket];
  reader.on('data', (chunk: Buffer) => (read = Buffer.concat([read, chunk])));
  close = () => {
    reader.destroy();
    server.close();
  };
});
afterAll(() => close());

const SIZES = [1, 100, 16 * 1_024, 16 * 1_024 + 1, 64 * 1_024, 300_000];
const rows = SIZES.flatMap((size) => [1, 2, 5].map((count) => [size, count] as const));

test.each(rows)(
  'what was lent may be overwritten once flush has returned: %i bytes, %i times in one turn',
  async (size, count) => {
    const outbox = createOutbox(sender, () => {});
    const lent = Buffer.alloc(size);
    const wanted: Buffer[] = [];
    read = Buffer.alloc(0);
    for (let nth = 0; nth < count; nth++) {
      lent.fill(nth + 1);
      wanted.push(Buffer.from(`head ${nth}`), Buffer.from(lent));
      // The first and every other one alone, as most of a large body.
      if (nth % 2 === 1) outbox.text(`head ${nth}`);
      else wanted.splice(-2, 1);
      outbox.bytes(lent);
      outbox.flush();
      lent.fill(0xff);
    }
    const whole = Buffer.concat(wanted);
    await until('all is read', () => read.length >= whole.length);
    expect(read.equals(whole)).toBe(true);
  },
);

test('nor does it wait behind an empty write that is under way', async () => {
  const outbox = createOutbox(sender, () => {});
  const lent = Buffer.alloc(20_000, 'a');
  read = Buffer.alloc(0);
  outbox.flushAll(() => {});
  outbox.bytes(lent);
  outbox.flush();
  lent.fill('b');
  await until('all is read', () => read.length >= lent.length);
  expect(read.equals(Buffer.alloc(20_000, 'a'))).toBe(true);
});

/** What is given back is overwritten at once: who gives it back too early sends nonsense. */
function poisoned(): Slabs & { outside(): number } {
  const slabs = createSlabs();
  let outside = 0;
  return {
    take() {
      outside += 1;
      return slabs.take();
    },
    give(slab) {
      outside -= 1;
      slabs.give(slab.fill(0xee));
    },
    outside: () => outside,
  };
}

describe('with slabs', () => {
  let app: Socket;
  let toApp: Socket;
  let end = (): void => {};

  beforeEach(async () => {
    const server = createTcpServer();
    server.listen({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    toApp = connectTcp({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
    [app] = (await once(server, 'connection')) as [Socket];
    end = () => {
      toApp.destroy();
      app.destroy();
      server.close();
    };
  });
  afterEach(() => end());

  test('who has it last sends what has gathered, at the end of the turn and once', async () => {
    const outbox = createOutbox(toApp, () => {}, createSlabs());
    const sent: string[] = [];
    outbox.bytes(Buffer.alloc(10_000, 'a'));
    outbox.whenGathered(() => sent.push('first'));
    outbox.whenGathered(() => sent.push('second'));
    expect(sent).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual(['second']);
  });

  const sizesAndCounts = [...rows, [20_000, 1_000], [300_000, 60]] as const;
  test.each(sizesAndCounts)(
    'what was lent may be overwritten at once: %i bytes, %i times before any is read',
    async (size, count) => {
      const slabs = poisoned();
      const outbox = createOutbox(toApp, () => {}, slabs);
      const lent = Buffer.alloc(size);
      const wanted: Buffer[] = [];
      for (let nth = 0; nth < count; nth++) {
        lent.fill(nth + 1);
        wanted.push(Buffer.from(`head ${nth}`), Buffer.from(lent), Buffer.from(`tail ${nth}`));
        outbox.text(`head ${nth}`);
        outbox.bytes(lent);
        outbox.text(`tail ${nth}`);
        lent.fill(0xff);
        if (nth % 3 !== 1) outbox.flush();
      }
      outbox.flush();
      const whole = Buffer.concat(wanted);
      const chunks: Buffer[] = [];
      let seen = 0;
      app.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        seen += chunk.length;
      });
      await until('all is read', () => seen >= whole.length);
      expect(Buffer.concat(chunks).equals(whole)).toBe(true);
      await until('all slabs are given back', () => slabs.outside() === 0);
    },
  );

  test('many small writes under way are full as well, though a socket counts only bytes, and room is told', async () => {
    let told = 0;
    const outbox = createOutbox(toApp, () => (told += 1), createSlabs());
    // Until the system takes no more.
    while (toApp.writableLength === 0) {
      outbox.bytes(Buffer.alloc(10_000));
      outbox.flush();
      await new Promise((resolve) => setImmediate(resolve));
    }
    let count = 0;
    for (let roomy = true; roomy && count < 10_000; count += 1) {
      outbox.bytes(Buffer.from('x'));
      roomy = outbox.flush();
    }
    expect([count < 200, toApp.writableNeedDrain, outbox.flush(), told]).toEqual([true, false, false, 0]);
    app.resume();
    await until('room is told', () => told > 0);
    expect([told, outbox.flush(), toApp.writableLength]).toEqual([1, true, 0]);
  });

  test('slabs come back also when the connection is lost before they are read', async () => {
    const slabs = poisoned();
    const outbox = createOutbox(toApp, () => {}, slabs);
    toApp.on('error', () => {});
    for (let nth = 0; nth < 1_000; nth++) {
      outbox.bytes(Buffer.alloc(20_000));
      outbox.flush();
    }
    expect(slabs.outside()).toBeGreaterThan(0);
    app.resetAndDestroy();
    await until('all slabs are given back', () => slabs.outside() === 0);
  });
});

test('with nothing to say, done is told all the same, and not at once', async () => {
  let told = false;
  createOutbox(sender, () => {}).flushAll(() => (told = true));
  expect(told).toBe(false);
  await until('it is told', () => told);
});
