import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOutbox } from './outbox.ts';
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
    const outbox = createOutbox(sender, true);
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
  const outbox = createOutbox(sender, true);
  const lent = Buffer.alloc(20_000, 'a');
  read = Buffer.alloc(0);
  outbox.flushAll(() => {});
  outbox.bytes(lent);
  outbox.flush();
  lent.fill('b');
  await until('all is read', () => read.length >= lent.length);
  expect(read.equals(Buffer.alloc(20_000, 'a'))).toBe(true);
});
