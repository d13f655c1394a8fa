import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import type { BoundaryClaims } from '@sallyport/authority';
import { createSigningKey, openSigningKeys, type SigningKeys } from '@sallyport/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stage, startStage, type Who } from './testing/stage.ts';

/** Each misuse of the port is refused under its own status, counted and logged once, and whoever is served notices nothing. */

let stage: Stage;
let foreign: SigningKeys;
/** The way of the rightful owner, open all the time. */
let owner: TLSSocket;
const folder = mkdtempSync(join(tmpdir(), 'sallyport-misuse-'));
const OWNER_EPOCH = 7n;

beforeAll(async () => {
  stage = await startStage(['--max-head-bytes=10240', '--request-timeout=1s']);
  writeFileSync(join(folder, '1.jwk'), (await createSigningKey()).privateJwk);
  const keys = await openSigningKeys(folder);
  if (!keys.ok) throw new Error(keys.error);
  foreign = keys.value;
  owner = (await stage.open(await stage.token())).socket;
});
afterAll(async () => {
  foreign.close();
  rmSync(folder, { recursive: true });
  await stage.close();
});

const sample = async (name: string): Promise<number> => {
  const text = await stage.metrics.text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
};
const refused = (refusal: string): Promise<number> => sample(`sallyport_boundary_refusals_total{refusal="${refusal}"}`);
const happened = (event: string): Promise<number> => sample(`sallyport_boundary_connection_events_total{event="${event}"}`);
const refusalLines = (): readonly string[] => stage.lines.filter((line) => /"msg":"(request|connection) refused"/.test(line));

/** The owner's bytes come back from the application, over the one channel that there is. */
async function ownerIsServed(): Promise<void> {
  const echo = new Promise<string>((come) => owner.once('data', (chunk: Buffer) => come(chunk.toString())));
  owner.write('still here');
  expect(await echo).toBe('still here');
  expect([stage.app.sockets.size, await sample('sallyport_boundary_channels')]).toEqual([1, 1]);
}

const claims = (changes: Partial<BoundaryClaims>, keys?: SigningKeys) => (): Promise<string> => stage.token(changes, keys);
const connectTo = async (token: string | undefined, target?: string): Promise<string> => (await stage.open(token, target)).head;

interface Misuse {
  readonly title: string;
  readonly refusal: string;
  readonly status: number;
  readonly attempt: () => Promise<string>;
}

const ask = (method: string, path: string, body?: () => Promise<string>) => async (): Promise<string> => {
  const { status, refusal } = await stage.ask(method, path, await body?.());
  return `HTTP/1.1 ${status} Refused\r\nsallyport-boundary: ${refusal}`;
};
const withToken = (token: () => Promise<string>, target?: string) => async (): Promise<string> =>
  connectTo(await token(), target);
const nonce = 'AAAAAAAAAAAAAAAAAAAAAA' as never;

const misuses: readonly Misuse[] = [
  { title: 'CONNECT without a token', refusal: 'token_missing', status: 403, attempt: () => connectTo(undefined) },
  { title: 'with noise for a token', refusal: 'token_invalid', status: 403, attempt: () => connectTo('abc.def.ghi') },
  { title: 'with a token that nobody here signed', refusal: 'token_invalid', status: 403, attempt: () => connectTo('') },
  {
    title: 'with a token of foreign keys',
    refusal: 'token_invalid',
    status: 403,
    attempt: async () => connectTo(await stage.token({}, foreign)),
  },
  { title: 'with a fence for a token', refusal: 'token_invalid', status: 403, attempt: withToken(() => stage.fence()) },
  { title: 'with a nonce of nobody', refusal: 'nonce_unknown', status: 403, attempt: withToken(claims({ nonce })) },
  {
    title: 'with a token of another runtime',
    refusal: 'other_runtime',
    status: 403,
    attempt: withToken(claims({ runtimeId: 'r1' as never })),
  },
  {
    title: 'with a token of another sandbox',
    refusal: 'other_sandbox',
    status: 403,
    attempt: withToken(claims({ sandboxId: 'other' as never })),
  },
  {
    title: 'with a token of another generation',
    refusal: 'other_generation',
    status: 403,
    attempt: withToken(claims({ generation: 'g0' as never })),
  },
  {
    title: 'with a token of another member under the same epoch',
    refusal: 'other_member',
    status: 403,
    attempt: withToken(claims({ memberId: 'm1' as never })),
  },
  {
    title: 'with a token of an epoch left behind',
    refusal: 'epoch_fenced',
    status: 403,
    attempt: withToken(claims({ ownerEpoch: (OWNER_EPOCH - 1n) as never })),
  },
  {
    title: 'to a port that the token does not name',
    refusal: 'port_not_declared',
    status: 403,
    attempt: async () => connectTo(await stage.token(), '127.0.0.1:9'),
  },
  { title: 'to another machine', refusal: 'address_refused', status: 403, attempt: withToken(claims({}), '169.254.169.254:80') },
  { title: 'to no port', refusal: 'address_refused', status: 403, attempt: withToken(claims({}), '127.0.0.1:0') },
  {
    title: 'to the boundary itself',
    refusal: 'address_refused',
    status: 403,
    attempt: async () => {
      const { port } = stage.boundary.address;
      return connectTo(await stage.token({ ports: [port, stage.app.port] }), `127.0.0.1:${port}`);
    },
  },
  { title: 'GET', refusal: 'not_found', status: 404, attempt: ask('GET', '/nonce') },
  { title: 'a path of nothing', refusal: 'not_found', status: 404, attempt: ask('POST', '/admin') },
  {
    title: 'a body longer than any token',
    refusal: 'too_large',
    status: 413,
    attempt: ask('PUT', '/token', async () => 'a'.repeat(20_000)),
  },
  {
    title: 'a token presented that is none',
    refusal: 'token_invalid',
    status: 403,
    attempt: ask('PUT', '/token', async () => 'x'),
  },
  { title: 'a fence that nobody signed', refusal: 'token_invalid', status: 403, attempt: ask('POST', '/fence', async () => 'x') },
  {
    title: 'a fence of another runtime',
    refusal: 'other_runtime',
    status: 403,
    attempt: ask('POST', '/fence', () => stage.fence({ runtimeId: 'r1' as never })),
  },
  {
    title: 'a head that is too large',
    refusal: 'head_too_large',
    status: 431,
    attempt: () => stage.say(`CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\nSallyport-Token: ${'a'.repeat(11_000)}\r\n\r\n`),
  },
  {
    title: 'a head that does not end in time',
    refusal: 'head_timeout',
    status: 408,
    attempt: () => stage.say('CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\n'),
  },
  { title: 'bytes that are no HTTP', refusal: 'bad_request', status: 400, attempt: () => stage.say('hello there\r\n\r\n') },
];

describe('a supervisor is refused', () => {
  test.each(misuses)('$title', async ({ refusal, status, attempt }) => {
    const [count, lines] = [await refused(refusal), refusalLines().length];
    const answer = await attempt();
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*sallyport-boundary: ${refusal}`, 's'));
    expect((await refused(refusal)) - count).toBe(1);
    expect(refusalLines().slice(lines)).toEqual([expect.stringContaining(`"refusal":"${refusal}"`)]);
    await ownerIsServed();
  });
});

describe('nobody else reaches the HTTP', () => {
  const rows: [who: Who, why: string, event: string][] = [
    ['nobody', 'no certificate', 'handshake_failed'],
    ['stranger', 'a certificate of another CA', 'handshake_failed'],
    ['gateway', 'the role of a gateway', 'refused_peer'],
    ['edge', 'the role of an edge', 'refused_peer'],
    ['boundary', 'the role of a boundary', 'refused_peer'],
  ];
  test.each(rows)('%s: %s', async (who, _why, event) => {
    const token = await stage.token();
    const [count, lines] = [await happened(event), refusalLines().length];
    await expect(stage.open(token, undefined, who)).rejects.toThrow();
    await expect.poll(() => happened(event)).toBe(count + 1);
    expect(refusalLines().slice(lines)).toEqual([expect.stringContaining(`"event":"${event}"`)]);
    await ownerIsServed();
  });
});

test('a token that has run out, and one that is replayed after a fence, are refused, counted and logged once each', async () => {
  const own = await startStage();
  const text = async (): Promise<string> => own.metrics.text();
  const old = await own.token();
  own.leap(15_000);
  expect((await own.open(old)).head).toMatch(/^HTTP\/1\.1 403 .*nonce_expired/s);
  const good = await own.token();
  expect((await own.open(good)).head).toMatch(/^HTTP\/1\.1 200 /);
  expect((await own.ask('POST', '/fence', await own.fence())).status).toBe(200);
  expect((await own.open(good)).head).toMatch(/^HTTP\/1\.1 403 .*epoch_fenced/s);
  for (const refusal of ['nonce_expired', 'epoch_fenced']) {
    expect(await text()).toContain(`sallyport_boundary_refusals_total{refusal="${refusal}"} 1`);
    expect(own.lines.filter((line) => line.includes(`"refusal":"${refusal}"`))).toHaveLength(1);
  }
  await own.close();
});
