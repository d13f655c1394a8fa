import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigningKey, openSigningKeys } from '@sallyport/wire';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Stage, startStage, type Who } from './testing/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage(['--max-connections=40', '--handshake-timeout=1s', '--request-timeout=1s', '--idle-timeout=2s']);
});
afterAll(() => stage.close());

const works = async (): Promise<void> => expect((await stage.ask('POST', '/nonce')).status).toBe(200);

describe('does not reach the HTTP', () => {
  test.each<Who>(['nobody', 'stranger', 'gateway', 'edge', 'boundary'])('%s', async (who) => {
    await expect(stage.ask('POST', '/nonce', '', who)).rejects.toThrow();
    await expect(stage.open(await stage.token(), undefined, who)).rejects.toThrow();
    await works();
  });

  test('plain HTTP, and noise instead of a handshake', async () => {
    for (const bytes of [Buffer.from('POST /nonce HTTP/1.1\r\nHost: x\r\n\r\n'), randomBytes(64 * 1024), Buffer.alloc(0)]) {
      const socket = connectTcp(stage.boundary.address.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.resume();
      socket.write(bytes);
      await new Promise((resolve) => socket.once('close', resolve));
    }
    await works();
  });
});

describe('is answered, or cut, and changes nothing', () => {
  const rows: [title: string, bytes: () => string | Buffer][] = [
    ['noise', () => randomBytes(32 * 1024)],
    ['a head without end', () => `POST /nonce HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}`],
    ['a head with more than it may have', () => `POST /nonce HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`],
    [
      'a CONNECT with more than it may have',
      () => `CONNECT 127.0.0.1:1 HTTP/1.1\r\nSallyport-Token: ${'a'.repeat(20_000)}\r\n\r\n`,
    ],
    ['a head that never ends', () => 'POST /nonce HTTP/1.1\r\nHost: x\r\n'],
    ['a body that never comes', () => 'PUT /token HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n'],
    ['two framings', () => 'PUT /token HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['silence', () => ''],
  ];
  test.each(rows)('%s', async (_title, bytes) => {
    expect(await stage.say(bytes())).not.toMatch(/^HTTP\/1\.1 200/);
    await works();
  });

  test('a body that is larger than any token', async () => {
    const answer = await stage.ask('PUT', '/token', 'a'.repeat(100_000)).catch(() => undefined);
    expect(answer === undefined || answer.status === 413).toBe(true);
    await works();
  });

  const refused: [title: string, method: string, path: string][] = [
    ['another path', 'POST', '/metrics'],
    ['another method', 'GET', '/nonce'],
    ['a path that climbs', 'POST', '/../nonce'],
    ['an absolute address', 'GET', 'http://127.0.0.1:8080/'],
  ];
  test.each(refused)('%s', async (_title, method, path) => {
    expect(await stage.ask(method, path)).toMatchObject({ status: 404, refusal: 'not_found' });
  });

  test('more connections than it may have: the others are refused, and work again when some have gone', async () => {
    const many = Array.from({ length: 60 }, () => stage.dial('supervisor'));
    await expect.poll(() => many.filter((socket) => socket.destroyed).length).toBeGreaterThanOrEqual(20);
    for (const socket of many) socket.destroy();
    await expect
      .poll(() =>
        stage.ask('POST', '/nonce').then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
  });
});

describe('opens nothing', () => {
  const targets = [
    '127.0.0.1:0',
    '127.0.0.1:65536',
    '127.0.0.1:99999999',
    '127.0.0.1',
    '127.0.0.1:',
    '127.0.0.2:8080',
    '10.0.0.1:80',
    '169.254.169.254:80',
    'localhost:8080',
    '[::1]:8080',
    '0:8080',
    '127.0.0.1:80:80',
    '127.0.0.1:80@evil:80',
    '/nonce',
    'http://127.0.0.1:80/',
  ];
  test.each(targets)('CONNECT %s', async (target) => {
    const answered = await stage.open(await stage.token({ ports: [80, 8080] }), target).catch(() => undefined);
    expect(answered === undefined || answered.head.includes('address_refused')).toBe(true);
  });

  type Made = () => Promise<string | undefined>;
  const tokens: [title: string, token: Made, refusal: string][] = [
    ['no token', async () => undefined, 'token_missing'],
    ['a token of noise', async () => 'abc.def.ghi', 'token_invalid'],
    ['a fence for a token', () => stage.fence(), 'token_invalid'],
    [
      'a token of foreign keys',
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'sallyport-foreign-'));
        onTestFinished(() => rmSync(folder, { recursive: true }));
        writeFileSync(join(folder, '1.jwk'), (await createSigningKey()).privateJwk);
        const keys = await openSigningKeys(folder);
        return keys.ok ? stage.token({}, keys.value) : undefined;
      },
      'token_invalid',
    ],
    ['a token for a nonce of nobody', () => stage.token({ nonce: 'AAAAAAAAAAAAAAAAAAAAAA' as never }), 'nonce_unknown'],
    ['a token for another runtime', () => stage.token({ runtimeId: 'r1' as never }), 'other_runtime'],
    ['a token without the port', () => stage.token({ ports: [1] }), 'port_not_declared'],
  ];
  test.each(tokens)('%s', async (_title, token, refusal) => {
    expect((await stage.open(await token())).head).toContain(`sallyport-boundary: ${refusal}`);
  });

  test('a token that has run out, a token of another sandbox, a replayed one after a fence', async () => {
    const own = await startStage();
    const nonce = await own.nonce();
    const old = await own.token({ nonce: nonce as never });
    own.leap(15_000);
    expect((await own.open(old)).head).toContain('nonce_expired');
    const good = await own.token();
    expect((await own.open(good)).head).toContain('200');
    expect((await own.open(await own.token({ sandboxId: 'other' as never, ownerEpoch: 99n as never }))).head).toContain(
      'other_sandbox',
    );
    expect((await own.ask('POST', '/fence', await own.fence())).status).toBe(200);
    expect((await own.open(good)).head).toContain('epoch_fenced');
    expect(await own.ask('PUT', '/token', good)).toMatchObject({ status: 403, refusal: 'epoch_fenced' });
    await own.close();
  });

  test('its own port', async () => {
    const { port } = stage.boundary.address;
    expect((await stage.open(await stage.token({ ports: [port] }), `127.0.0.1:${port}`)).head).toContain('address_refused');
  });
  test('where nothing listens', async () => {
    expect((await stage.open(await stage.token({ ports: [9] }), '127.0.0.1:9')).head).toMatch(/^HTTP\/1\.1 502 .*app_refused/s);
  });
});

describe('a fence is not confirmed', () => {
  const rows: [title: string, fence: () => Promise<string>, refusal: string][] = [
    ['when nobody signed it', async () => 'abc', 'token_invalid'],
    ['when it is a token', () => stage.token(), 'token_invalid'],
    ['T17: for another life of the workload', () => stage.fence({ runtimeId: 'r1' as never }), 'other_runtime'],
  ];
  test.each(rows)('%s', async (_title, fence, refusal) => {
    expect(await stage.ask('POST', '/fence', await fence())).toMatchObject({ status: 403, refusal });
  });
});
