import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer as createPlainServer } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { createClock, createLog } from '@sallyport/process';
import { livelyMachine, livelyMs } from '@sallyport/process/lively';
import { createTestAuthority, type TestAuthority } from '@sallyport/wire/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type BoundaryLink, createBoundaryLink } from './boundary-link.ts';

/** What stands beside untrusted code may say anything: here a boundary says whatever a test wants, over real TLS. */

const TRUST_DOMAIN = 'acme.test';
let authority: TestAuthority;
const clock = createClock(livelyMachine);
const undo: (() => void)[] = [];
const identity = async (path: string) => {
  const files = await authority.issue(path.replaceAll('/', '-'), { uris: [`spiffe://${TRUST_DOMAIN}/${path}`] });
  return { ca: readFileSync(files.caFile), cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) };
};

beforeAll(async () => {
  authority = await createTestAuthority();
});
afterEach(() => {
  for (const act of undo.splice(0)) act();
});
afterAll(() => {
  authority.remove();
  clock.stop();
});

type Says = (head: string, socket: TLSSocket) => void;

async function linkTo(says: Says, who = 'boundary/r0'): Promise<{ readonly link: BoundaryLink; readonly heads: string[] }> {
  const { port, heads } = await startBoundary(says, who);
  return { link: await linkAt(port), heads };
}

async function startBoundary(says: Says, who = 'boundary/r0', at = 0) {
  const heads: string[] = [];
  const sockets = new Set<TLSSocket>();
  const server = createServer({ ...(await identity(who)), requestCert: true, minVersion: 'TLSv1.3' }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let head = '';
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      heads.push(head);
      const asked = head;
      head = '';
      says(asked, socket);
    });
  });
  await new Promise<void>((listening) => server.listen(at, '127.0.0.1', listening));
  undo.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port, heads };
}

/** A port where nobody listens. */
async function freePort(): Promise<number> {
  const server = createPlainServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

async function linkAt(port: number): Promise<BoundaryLink> {
  const own = await identity('supervisor/s1');
  const link = createBoundaryLink({
    address: `127.0.0.1:${port}`,
    runtimeId: 'r0' as never,
    trustDomain: TRUST_DOMAIN,
    material: () => own,
    clock,
    log: createLog({ level: 'silent' }),
  });
  undo.push(() => link.close());
  return link;
}

const dial = (link: BoundaryLink, signal = new AbortController().signal) => link.dial(8080, signal);
const connected = 'HTTP/1.1 200 Connected\r\n\r\n';
const refused = (why: string) => `HTTP/1.1 403 Refused\r\nsallyport-boundary: ${why}\r\nContent-Length: 0\r\n\r\n`;

describe('a way to the application', () => {
  test('is asked for with the newest token, and what follows the answer is the application’s', async () => {
    const { link, heads } = await linkTo((_head, socket) => socket.write(`${connected}hello`));
    link.present('old');
    link.present('new');
    const dialled = await dial(link);
    if (!dialled.ok) throw new Error(JSON.stringify(dialled));
    let text = '';
    dialled.value.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    await expect.poll(() => text).toBe('hello');
    dialled.value.end('over');
    const connects = heads.filter((head) => head.startsWith('CONNECT'));
    expect(connects[0]).toBe('CONNECT 127.0.0.1:8080 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nSallyport-Token: new\r\n\r\n');
    dialled.value.destroy();
  });

  test('waits for the first token', async () => {
    const { link } = await linkTo((_head, socket) => socket.write(connected));
    const dialled = dial(link);
    link.present('first');
    expect((await dialled).ok).toBe(true);
  });

  test.each(['nonce_unknown', 'nonce_expired', 'no_right', 'port_not_declared', 'epoch_fenced'])(
    'that is refused for %s is asked for once more with the next token',
    async (why) => {
      const { link, heads } = await linkTo((head, socket) => socket.write(head.includes('old') ? refused(why) : connected));
      link.present('old');
      const dialled = dial(link);
      await expect.poll(() => heads.some((head) => head.startsWith('CONNECT'))).toBe(true);
      link.present('new');
      expect((await dialled).ok).toBe(true);
    },
  );

  test('that is refused for want of a right ends when no other token comes', async () => {
    const { link } = await linkTo((_head, socket) => socket.write(refused('no_right')));
    link.present('only');
    expect(await dial(link)).toEqual({
      ok: false,
      error: { kind: 'failed', message: "the sandbox's boundary refuses: no_right" },
    });
  });

  const answers: [title: string, says: Says, error: object][] = [
    ['nothing listens', (_h, s) => s.write(refused('app_refused')), { kind: 'refused' }],
    ['the application does not answer', (_h, s) => s.write(refused('app_timeout')), { kind: 'timeout' }],
    ['the port is none of the application', (_h, s) => s.write(refused('address_refused')), { kind: 'forbidden' }],
    [
      'the boundary is full',
      (_h, s) => s.write(refused('over_limit')),
      { kind: 'failed', message: expect.stringMatching(/over_limit/) },
    ],
    ['it speaks no HTTP', (_h, s) => s.write('hello\r\n\r\n'), { kind: 'failed', message: expect.stringMatching(/HTTP/) }],
    ['it says 2000', (_h, s) => s.write('HTTP/1.1 2000 OK\r\n\r\n'), { kind: 'failed' }],
    ['it says 407', (_h, s) => s.write('HTTP/1.1 407 Proxy\r\n\r\n'), { kind: 'failed', message: expect.stringMatching(/407/) }],
    ['its answer has no end', (_h, s) => s.write(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(10_000)}`), { kind: 'failed' }],
    ['it ends instead', (_h, s) => s.end(), { kind: 'failed', message: expect.stringMatching(/ended/) }],
    ['it breaks off', (_h, s) => s.destroy(), { kind: 'failed' }],
  ];
  test.each(answers)('fails when %s', async (_title, says, error) => {
    const { link } = await linkTo(says);
    link.present('token');
    expect(await dial(link)).toMatchObject({ ok: false, error });
  });

  test('fails, and nothing else does, when the boundary ends while they greet each other', async () => {
    const server = createPlainServer((socket) => void socket.on('error', () => undefined).end());
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    undo.push(() => server.close());
    const link = await linkAt((server.address() as AddressInfo).port);
    link.present('token');
    for (let count = 0; count < 5; count += 1)
      expect(await dial(link)).toMatchObject({
        ok: false,
        error: { kind: 'failed', message: expect.stringMatching(/ended|TLS/) },
      });
  });

  test('is given up when it is wanted no more', async () => {
    const { link } = await linkTo(() => undefined);
    link.present('token');
    const wanted = new AbortController();
    const dialled = dial(link, wanted.signal);
    setTimeout(() => wanted.abort(), 50);
    expect(await dialled).toEqual({ ok: false, error: { kind: 'aborted' } });
  });

  test.each(['boundary/r1', 'supervisor/r0', 'gateway/r0'])('is not looked for at %s', async (who) => {
    const { link, heads } = await linkTo((_head, socket) => socket.write(connected), who);
    link.present('secret');
    expect(await dial(link)).toMatchObject({
      ok: false,
      error: { kind: 'failed', message: expect.stringMatching(/certificate/) },
    });
    expect(await link.nonce()).toBeUndefined();
    expect(heads).toEqual([]);
  });
});

describe('a question to the boundary', () => {
  const json = (status: number, body: object): string => {
    const text = JSON.stringify(body);
    return `HTTP/1.1 ${status} X\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  };
  test('goes over one connection, again and again', async () => {
    const ports = new Set<number | undefined>();
    const { link } = await linkTo((_head, socket) => {
      ports.add(socket.remotePort);
      socket.write(json(200, { nonce: 'a'.repeat(22) }));
    });
    for (let count = 0; count < 5; count += 1) expect(await link.nonce()).toBeDefined();
    expect(ports.size).toBe(1);
  });
  test('brings a nonce', async () => {
    const { link } = await linkTo((_head, socket) => socket.write(json(200, { nonce: 'a'.repeat(22) })));
    expect(await link.nonce()).toBe('a'.repeat(22));
  });
  test('brings a nonce of a boundary that is only just starting', async () => {
    const port = await freePort();
    const link = await linkAt(port);
    const nonce = link.nonce();
    await startBoundary((_head, socket) => socket.write(json(200, { nonce: 'b'.repeat(22) })), 'boundary/r0', port);
    expect(await nonce).toBe('b'.repeat(22));
  });
  test('brings a nonce of a boundary that is slow to answer the first time', async () => {
    const { link } = await linkTo((_head, socket) => {
      setTimeout(() => socket.write(json(200, { nonce: 'c'.repeat(22) })), 800);
    });
    expect(await link.nonce()).toBe('c'.repeat(22));
  });
  test('waits for none once there is a leave, for the lease matters more', async () => {
    const link = await linkAt(await freePort());
    link.present('leave');
    const askedAt = livelyMs();
    expect(await link.nonce()).toBeUndefined();
    expect(livelyMs() - askedAt).toBeLessThan(2_000);
  });
  const rows: [title: string, says: Says][] = [
    ['it refuses', (_h, s) => s.write(json(503, { refusal: 'too_many_nonces' }))],
    ['it says what is no nonce', (_h, s) => s.write(json(200, { nonce: `${'a'.repeat(21)}!` }))],
    ['it says something else', (_h, s) => s.write(json(200, { nonce: 7 }))],
    ['it says no JSON', (_h, s) => s.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx')],
    ['it says a list', (_h, s) => s.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]')],
    ['it talks for ever', (_h, s) => s.write(`HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(1_000_000)}`)],
    ['it is silent', () => undefined],
    ['it breaks off', (_h, s) => s.destroy()],
  ];
  test.each(rows)('brings none, in bounded time, when %s', async (_title, says) => {
    const { link } = await linkTo(says);
    // With a leave a nonce is asked for once.
    link.present('leave');
    expect(await link.nonce()).toBeUndefined();
  });
  test('brings the answer to a fence', async () => {
    const { link } = await linkTo((_head, socket) => socket.write(json(200, { answer: 'signed' })));
    expect(Buffer.from((await link.fence('fence')) ?? '').toString()).toBe('signed');
  });
  test('brings none that a gateway would not read', async () => {
    const { link } = await linkTo((_head, socket) => socket.write(json(200, { answer: 'x'.repeat(9_000) })));
    expect(await link.fence('fence')).toBeUndefined();
  });
  test('brings none when the boundary has judged against it', async () => {
    const { link, heads } = await linkTo((_head, socket) => socket.write(json(403, { refusal: 'other_runtime' })));
    expect(await link.fence('fence')).toBeUndefined();
    expect(heads).toHaveLength(1);
  });
});
