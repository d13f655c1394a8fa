import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PAGE_MS, RECORDS_PER_MESSAGE_MAX } from '@sallyport/catalog';
import { createLog, createMetrics, type Process } from '@sallyport/process';
import { createManualClock } from '@sallyport/process/manual-clock';
import { createMemoryStore } from '@sallyport/store';
import {
  call,
  createSigningKey,
  discoveryV1,
  type Link,
  openLink,
  openServerStream,
  openSigningKeys,
  openTlsFiles,
  type Role,
  type SigningKeys,
  signOperatorToken,
} from '@sallyport/wire';
import { createTestAuthority } from '@sallyport/wire/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPublisher, plain } from './testing/publication.ts';
import { type Discovery, wire } from './wire.ts';

const { DiscoveryServiceService: service } = discoveryV1;
const authority = await createTestAuthority();
const keysDirectory = mkdtempSync(join(tmpdir(), 'sallyport-keys-'));
const clock = createManualClock();
const memory = createMemoryStore({ clock });
const client = memory.connect();
const gateway = createPublisher(memory.connect());
const many = RECORDS_PER_MESSAGE_MAX + 1;
let keys: SigningKeys;
let discovery: Discovery;
let link: Link;

const processOf = (id: string): Process => ({
  clock,
  log: createLog({ level: 'silent' }),
  metrics: createMetrics(),
  randomId: () => id,
  stopping: new AbortController().signal,
  admin: { host: '127.0.0.1', port: 0 },
});
const tokenOf = (role: unknown, principal = 'ann', lifetimeMs = 60_000, now = new Date()): Promise<string> =>
  signOperatorToken(keys, { principal, role: role as Role }, lifetimeMs, now);
const viewer = () => tokenOf({ kind: 'viewer', workspaces: 'all' });
const options = (bearer: string | undefined) => ({ deadlineMs: 5_000, bearer });

async function snapshot(bearer: string | undefined, workspaces: string[] = [], to = link) {
  const stream = openServerStream(to, service.getSnapshot, { workspaces }, options(bearer));
  const records: discoveryV1.Record[] = [];
  const tokens: string[] = [];
  for await (const { part } of stream.received) {
    records.push(...(part?.records ?? []));
    tokens.push(part?.token ?? '');
  }
  return { records, tokens, failure: await stream.closed };
}

beforeAll(async () => {
  writeFileSync(join(keysDirectory, '1.jwk'), (await createSigningKey()).privateJwk);
  const opened = await openSigningKeys(keysDirectory);
  if (!opened.ok) throw new Error(opened.error);
  keys = opened.value;
  client.cutOff(true);
  discovery = await wire(
    plain({
      listen: { host: '127.0.0.1', port: 0 },
      urlPort: 8443,
      signingKeys: keysDirectory,
      trustDomain: 'acme.test',
      tls: await authority.issue('discovery', {
        uris: ['spiffe://acme.test/discovery/d1'],
        dnsNames: ['localhost'],
        ipAddresses: ['127.0.0.1'],
      }),
      listenTls: {},
      jwt: {},
      limits: { streamsMax: 20, opensPerSecondMax: 1_000, backlogBytesMax: 1_000_000 },
    }),
    processOf('d1'),
    { store: client },
  );
  const ca = await openTlsFiles({ caFile: authority.caFile });
  if (!ca.ok) throw new Error(ca.error);
  link = openLink({
    target: `127.0.0.1:${discovery.address.port}`,
    tls: ca.value,
    showsCertificate: false,
    server: { kind: 'host-name' },
  });
});
afterAll(async () => {
  link.close();
  await discovery.drain(AbortSignal.abort());
  keys.close();
  authority.remove();
  rmSync(keysDirectory, { recursive: true });
});

test('before the first complete view nothing is answered, to nobody', async () => {
  expect(await snapshot(await viewer())).toMatchObject({ records: [], failure: { kind: 'not-ready' } });
  expect(await call(link, service.resolve, { host: 'a.b' }, options(await viewer()))).toMatchObject({
    error: { kind: 'not-ready' },
  });
  expect(discovery.ready().every(({ ok }) => ok)).toBe(false);
});

describe('with a complete view', () => {
  beforeAll(async () => {
    client.cutOff(false);
    await clock.advanceAsync(2_000);
    await gateway.generation();
    for (let index = 0; index < many; index += 1) await gateway.publish('many', `s${index}`, memory.revision());
    await gateway.publish('team', 'demo', memory.revision());
    await gateway.grant('edge-1', ['team']);
    await clock.advanceAsync(0);
  });

  test('it is ready', () => expect(discovery.ready().every(({ ok }) => ok)).toBe(true));

  test('a snapshot comes whole, in parts, with its token on the last', async () => {
    const { records, tokens, failure } = await snapshot(await viewer());
    expect([records.length, tokens, failure]).toEqual([many + 1, ['', expect.stringMatching(/^[\w-]{40,}$/)], undefined]);
  });

  test('a record says who serves what, where and for how long', async () => {
    const { records } = await snapshot(await viewer(), ['team']);
    expect(records).toEqual([
      {
        recordId: 'demo/web',
        workspace: 'team',
        sandbox: 'demo',
        service: 'web',
        host: 'team--demo--web.apps.test',
        url: 'https://team--demo--web.apps.test:8443/',
        endpoint: { address: '10.0.0.7', port: 8443, podUid: 'pod' },
        ttlMs: 13_000 - PAGE_MS,
        ownerEpoch: 5n,
        configRevision: 3n,
        renewedBy: 'gw1.9',
      },
    ]);
  });

  test.each(['team--demo--web.apps.test', 'TEAM--Demo--web.apps.test.'])('%s is resolved', async (host) => {
    expect(await call(link, service.resolve, { host }, options(await viewer()))).toMatchObject({
      value: { record: { recordId: 'demo/web' } },
    });
  });

  const resolve = (host: string, bearer: Promise<string | undefined>) => async () =>
    call(link, service.resolve, { host }, options(await bearer));
  const host = 'team--demo--web.apps.test';
  const refusals: [title: string, ask: () => Promise<unknown>, kind: string, why: RegExp][] = [
    ['without a token', () => resolve(host, Promise.resolve(undefined))(), 'unauthenticated', /bearer token is required/],
    ['with a token that is none', () => resolve(host, Promise.resolve('abc'))(), 'unauthenticated', /not a signed JWT/],
    [
      'with a token that has expired',
      () => resolve(host, tokenOf({ kind: 'admin' }, 'ann', 1_000, new Date(Date.now() - 60_000)))(),
      'unauthenticated',
      /expired/,
    ],
    ['a host that is not published', () => resolve('team--other--web.apps.test', viewer())(), 'unknown', /not published/],
    [
      'a host in a workspace that is not seen',
      () => resolve(host, tokenOf({ kind: 'viewer', workspaces: ['other'] }))(),
      'unknown',
      /not published/,
    ],
    ['a host that is none', () => resolve('a b', viewer())(), 'malformed', /host/],
    ['a host with a port', () => resolve(`${host}:443`, viewer())(), 'malformed', /host/],
    [
      'a reader without a grant',
      () => resolve(host, tokenOf({ kind: 'reader', workspaces: 'all' }, 'edge-2'))(),
      'forbidden',
      /no grant/,
    ],
    [
      'explain, for others, to a reader',
      async () =>
        call(
          link,
          service.explain,
          { host, principal: 'edge-2' },
          options(await tokenOf({ kind: 'reader', workspaces: 'all' }, 'edge-1')),
        ),
      'forbidden',
      /only operators/,
    ],
    [
      'explain, without a token',
      () => call(link, service.explain, { host, principal: '' }, options(undefined)),
      'unauthenticated',
      /bearer/,
    ],
  ];
  test.each(refusals)('refused: %s', async (_title, ask, kind, why) => {
    expect(await ask()).toMatchObject({ ok: false, error: { kind, message: expect.stringMatching(why) } });
  });

  test('a reader sees what both its token and its grant name', async () => {
    const all = await snapshot(await tokenOf({ kind: 'reader', workspaces: 'all' }, 'edge-1'));
    expect(all.records.map(({ recordId }) => recordId)).toEqual(['demo/web']);
    expect((await snapshot(await tokenOf({ kind: 'reader', workspaces: ['many'] }, 'edge-1'))).records).toEqual([]);
  });

  test('a workspace that may not be seen is refused, a bad name is malformed', async () => {
    const bearer = await tokenOf({ kind: 'viewer', workspaces: ['team'] });
    expect((await snapshot(bearer)).records).toHaveLength(1);
    expect((await snapshot(bearer, ['team', 'many'])).records).toHaveLength(1);
    expect((await snapshot(bearer, ['many'])).failure).toMatchObject({ kind: 'forbidden' });
    expect((await snapshot(bearer, ['Many'])).failure).toMatchObject({ kind: 'malformed' });
  });

  test('what has run out is not shown', async () => {
    await clock.advanceAsync(13_000);
    expect(await snapshot(await viewer())).toMatchObject({ records: [], failure: undefined });
  });
});
