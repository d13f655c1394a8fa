import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lendReads } from './lent-reads.ts';
import { makePair } from './testing/certificate.ts';
import type { RawClient } from './testing/client.ts';
import { hostNamed, type Stage, startStage } from './testing/stage.ts';
import { until } from './testing/until.ts';

test('this Node lends: what comes lies in the memory that was given', async () => {
  const memory = Buffer.alloc(100);
  const chunks: { readonly text: string; readonly within: boolean }[] = [];
  const server = createServer(makePair(['a.test']), (socket: TLSSocket) => {
    expect(lendReads(socket, memory)).toBe(true);
    socket.on('data', (chunk: Buffer) => chunks.push({ text: chunk.toString(), within: chunk.buffer === memory.buffer }));
    socket.on('end', () => socket.end());
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const client = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, rejectUnauthorized: false });
  client.end('x'.repeat(250));
  await once(client, 'close');
  server.close();

  expect(chunks.map(({ text }) => text).join('')).toBe('x'.repeat(250));
  expect(chunks.map(({ text, within }) => [text.length, within])).toEqual([
    [100, true],
    [100, true],
    [50, true],
  ]);
});

/** The same numbers for the same seed (a linear congruential generator). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Bytes that differ from one place to the next and from one connection to another. */
function bytesOf(below: (max: number) => number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at++) bytes[at] = below(256);
  return bytes;
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Sends in cuts of any size, waiting in between or not, so that records, reads and heads end anywhere. */
async function sendInCuts(client: RawClient, bytes: Buffer, below: (max: number) => number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + below(below(3) === 0 ? 50 : 60_000);
    client.send(bytes.subarray(at, end));
    at = end;
    if (below(3) === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

const REQUESTS_EACH = 6;

describe('nothing of one connection is read on another, nor twice', () => {
  let stage: Stage;
  let app: Server;

  /** Tells the hash of what it was sent, and reads it with pauses, so that uploads wait. */
  beforeAll(async () => {
    app = createHttpServer((request, response) => {
      const hash = createHash('sha256');
      request.on('data', (chunk: Buffer) => {
        hash.update(chunk);
        if (chunk.length % 3 !== 0) return;
        request.pause();
        setImmediate(() => request.resume());
      });
      request.on('end', () => response.end(`<${hash.digest('hex')}>`));
    });
    app.on('upgrade', (_request, socket: Socket, first: Buffer) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      socket.write(first);
      socket.pipe(socket);
    });
    app.listen({ host: '127.0.0.1', port: 0 });
    await once(app, 'listening');
    stage = await startStage();
    stage.sandbox('s1', { web: (app.address() as AddressInfo).port });
  });
  afterAll(async () => {
    await stage.close();
    app.closeAllConnections();
    app.close();
  });

  /** Requests one behind the other, without waiting for answers. Their bodies and hashes. */
  async function upload(seed: number, maxVersion: 'TLSv1.2' | 'TLSv1.3'): Promise<void> {
    const below = numbers(seed);
    const client = await stage.connect(hostNamed('web'), { maxVersion });
    const parts: Buffer[] = [];
    const hashes: string[] = [];
    for (let nth = 0; nth < REQUESTS_EACH; nth++) {
      const body = bytesOf(below, below(4) === 0 ? below(200) : below(200_000));
      hashes.push(`<${hashOf(body)}>`);
      const head = `POST /${nth} HTTP/1.1\r\nHost: web.apps.test\r\n`;
      if (below(2) === 0) parts.push(Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body);
      else {
        parts.push(Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`));
        for (let at = 0; at < body.length; ) {
          const piece = body.subarray(at, at + 1 + below(50_000));
          parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
          at += piece.length;
        }
        parts.push(Buffer.from('0\r\n\r\n'));
      }
    }
    await sendInCuts(client, Buffer.concat(parts), below);
    await until(
      `${REQUESTS_EACH} answers`,
      () => client.received().split('\r\n\r\n<').length > REQUESTS_EACH || client.closed(),
      60_000,
    );
    expect(client.received().match(/<[0-9a-f]{64}>/g)).toEqual(hashes);
  }

  /** Everything comes back as it was sent, also what is sent behind the handshake without waiting for its answer. */
  async function tunnel(seed: number): Promise<void> {
    const below = numbers(seed);
    const client = await stage.connect(hostNamed('web'));
    const sent = bytesOf(below, below(400_000));
    const handshake =
      'GET / HTTP/1.1\r\nHost: web.apps.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n';
    await sendInCuts(client, Buffer.concat([Buffer.from(handshake), sent]), below);
    const echoed = (): string => client.received().split('\r\n\r\n').slice(1).join('\r\n\r\n');
    await until('all comes back', () => echoed().length >= sent.length || client.closed(), 60_000);
    expect(hashOf(Buffer.from(echoed(), 'latin1'))).toBe(hashOf(sent));
  }

  test.each([1, 2, 3, 4])('seed %i: uploads and tunnels beside each other', async (seed) => {
    const [ofUploads, ofTunnels] = [8, 4].map((count) => Array.from({ length: count }, (_, nth) => seed * 1_000 + nth));
    await Promise.all([
      ...(ofUploads ?? []).map((each) => upload(each, each % 2 === 0 ? 'TLSv1.3' : 'TLSv1.2')),
      ...(ofTunnels ?? []).map((each) => tunnel(each + 500)),
    ]);
  });
});
