import { writeFileSync } from 'node:fs';
import { createManualClock } from '@sallyport/process/manual-clock';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isList, isReview } from '../testing/kube-api/faults.ts';
import { putPod } from '../testing/kube-api/pods.ts';
import { status } from '../testing/kube-api/status.ts';
import { DRIVER_USER, type KubeStage, openKubeStage } from '../testing/kube-stage.ts';
import { until } from '../testing/until.ts';
import { inFile, inline } from './access.ts';
import { createKubeClient, type KubeClient } from './client.ts';
import { openCredentials } from './credentials.ts';

const PODS = '/api/v1/pods';
let stage: KubeStage;
let client: KubeClient;
beforeAll(async () => {
  stage = await openKubeStage();
  client = (await stage.connect()).client;
});
afterAll(() => stage.close());
beforeEach(() => stage.api.faults.clear());

const outcome = async (asked: Promise<{ ok: true } | { ok: false; error: { kind: string } }>) => {
  const answer = await asked;
  return answer.ok ? 'ok' : answer.error.kind;
};

describe('what the server says becomes', () => {
  const said = (code: number, reason: string) => () =>
    stage.api.faults.on(isList, { kind: 'status', status: status(code, reason, reason, code === 429 ? 7 : undefined) });
  const rows: [title: string, plan: () => void, kind: string][] = [
    ['an answer', () => undefined, 'ok'],
    ['401 twice: unauthenticated', () => [said(401, 'Unauthorized')(), said(401, 'Unauthorized')()], 'unauthenticated'],
    ['401 once: asked again with the token as it is now', said(401, 'Unauthorized'), 'ok'],
    ['403', said(403, 'Forbidden'), 'forbidden'],
    ['409', said(409, 'Conflict'), 'conflict'],
    ['410', said(410, 'Expired'), 'expired'],
    ['429', said(429, 'TooManyRequests'), 'busy'],
    ['503', said(503, 'ServiceUnavailable'), 'busy'],
    ['500', said(500, 'InternalError'), 'failed'],
    ['a redirect, which nobody follows with a token', said(302, 'Found'), 'failed'],
    ['a reset', () => stage.api.faults.on(isList, { kind: 'reset' }), 'unreachable'],
    ['no JSON', () => stage.api.faults.on(isList, { kind: 'garbage' }), 'malformed'],
  ];
  test.each(rows)('%s', async (_title, plan, kind) => {
    plan();
    expect(await outcome(client.get(PODS, { limit: 500 }))).toBe(kind);
  });
  test('how long it wants to be left alone', async () => {
    said(429, 'TooManyRequests')();
    expect(await client.get(PODS, { limit: 500 })).toMatchObject({ error: { retryAfterMs: 7_000 } });
  });
});

describe('who calls is proven', () => {
  test('by a token that is read again when it was replaced', async () => {
    const own = await stage.connect();
    stage.api.forgetBearer('driver-token-1');
    stage.api.knowsBearer('driver-token-2', DRIVER_USER);
    writeFileSync(stage.tokenFile, 'driver-token-2\n');
    expect(await outcome(own.client.get(PODS))).toBe('ok');
    stage.api.knowsBearer('driver-token-1', DRIVER_USER);
  });
  test('by a token that is read again each minute', async () => {
    const clock = createManualClock();
    const own = await stage.connect(clock);
    writeFileSync(stage.tokenFile, 'driver-token-3');
    expect(own.credentials.current().token).toBe('driver-token-2');
    clock.advance(60_000);
    await until('the file to be read', () => own.credentials.current().token === 'driver-token-3');
  });
  test('not by a file that is empty: the old one stays', async () => {
    const clock = createManualClock();
    const own = await stage.connect(clock);
    writeFileSync(stage.tokenFile, '\n');
    clock.advance(60_000);
    await until('the problem to be said', () => own.credentials.problem() !== undefined);
    expect([own.credentials.problem(), own.credentials.current().token]).toEqual([
      'the token is empty or is no token',
      'driver-token-3',
    ]);
    writeFileSync(stage.tokenFile, 'driver-token-1');
  });
  test('by a client certificate', async () => {
    const issued = await stage.authority.issue({ dnsNames: ['driver.example'], usages: ['client'], days: 1, now: new Date() });
    stage.api.rbac.grant('driver.example', [{ rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }] }]);
    const access = {
      server: stage.api.url,
      ca: inFile(stage.caFile),
      token: undefined,
      client: { cert: inline(issued.certPem), key: inline(issued.keyPem) },
      serverName: undefined,
    };
    const credentials = await openCredentials(access, { clock: createManualClock(), onProblem: () => undefined });
    if (!credentials.ok) throw new Error(credentials.error);
    const own = createKubeClient(access, credentials.value);
    expect(await outcome(own.get(PODS))).toBe('ok');
    expect(await outcome(own.get('/api/v1/namespaces/x/pods/y'))).toBe('forbidden');
    await own.close();
  });
  test.each([
    ['a CA that is none', { ca: inline('x') }],
    ['a file that is not there', { token: inFile('/nowhere/token') }],
    ['a key that is not the certificate’s', { client: { cert: inline('x'), key: inline('y') } }],
  ])('and nothing begins with %s', async (_title, change) => {
    const access = {
      server: stage.api.url,
      ca: undefined,
      token: undefined,
      client: undefined,
      serverName: undefined,
      ...change,
    };
    expect(await openCredentials(access, { clock: createManualClock(), onProblem: () => undefined })).toMatchObject({
      ok: false,
    });
  });
});

test('a server under another CA is no server; when the CA is replaced it is one', async () => {
  const { createAuthority } = await import('@sallyport/pki');
  const other = await createAuthority({ commonName: 'other', days: 1, now: new Date() });
  const caFile = `${stage.directory}/other.crt`;
  writeFileSync(caFile, other.certPem);
  const clock = createManualClock();
  const access = {
    server: stage.api.url,
    ca: inFile(caFile),
    token: inFile(stage.tokenFile),
    client: undefined,
    serverName: undefined,
  };
  const credentials = await openCredentials(access, { clock, onProblem: () => undefined });
  if (!credentials.ok) throw new Error(credentials.error);
  const own = createKubeClient(access, credentials.value);
  expect(await outcome(own.get(PODS))).toBe('unreachable');
  writeFileSync(caFile, stage.authority.certPem);
  await credentials.value.reload();
  expect(await outcome(own.get(PODS))).toBe('ok');
  await own.close();
});

describe('a watch', () => {
  const lines: string[] = [];
  const open = (signal = new AbortController().signal) => {
    lines.length = 0;
    const opened = Promise.withResolvers<void>();
    const over = client.watch(
      PODS,
      { watch: 'true', resourceVersion: String(stage.api.store.version) },
      {
        signal,
        onOpen: opened.resolve,
        onLine: (line) => lines.push(line),
      },
    );
    return { opened: opened.promise, over };
  };
  const endings: [title: string, act: () => void, want: unknown][] = [
    ['ends in good order', () => stage.api.watches.end(), undefined],
    ['breaks', () => stage.api.watches.break(), { kind: 'unreachable' }],
  ];
  test.each(endings)('tells each line, and that it %s', async (_title, act, want) => {
    const { opened, over } = open();
    await opened;
    putPod(stage.api.store, 'p', { namespace: 'w' });
    await until('a line', () => lines.length === 1);
    act();
    const why = await over;
    if (want === undefined) expect(why).toBeUndefined();
    else expect(why).toMatchObject(want as object);
  });
  test('is given up at once', async () => {
    const given = new AbortController();
    const { opened, over } = open(given.signal);
    await opened;
    given.abort();
    expect(await over).toMatchObject({ kind: 'unreachable' });
    await until('the server to see it', () => stage.api.watches.count === 0);
  });
});

test('reviews that hang keep nobody from the Pods', async () => {
  const own = await stage.connect();
  stage.api.faults.on(isReview, { kind: 'hang' }, 200);
  for (let n = 0; n < 200; n += 1) void own.client.post('/apis/authentication.k8s.io/v1/tokenreviews', {});
  await until('reviews', () => stage.api.requests.filter((request) => request.endsWith('/tokenreviews')).length >= 20);
  expect(await outcome(own.client.get(PODS, { limit: 1 }, AbortSignal.timeout(5_000)))).toBe('ok');
  await own.close();
});
test('each namespace has its watch at once, however many there are', async () => {
  const own = await stage.connect();
  const given = new AbortController();
  let openCount = 0;
  const all = Array.from({ length: 150 }, (_, n) =>
    own.client.watch(
      `/api/v1/namespaces/n${n}/pods`,
      { watch: 'true' },
      {
        signal: given.signal,
        onOpen: () => {
          openCount += 1;
        },
        onLine: () => undefined,
      },
    ),
  );
  await until('all watches', () => openCount === 150);
  given.abort();
  await Promise.all(all);
});
test('an answer that never ends is given up', async () => {
  const own = await stage.connect(stage.clock, { bodyBytesMax: 1_024, wholeMs: 50 });
  stage.api.faults.on(isList, { kind: 'hang' });
  expect(await outcome(own.client.get(PODS, { limit: 1 }))).toBe('unreachable');
});
test('an answer that is larger than what is taken at once is none', async () => {
  const own = await stage.connect(stage.clock, { bodyBytesMax: 1_024, wholeMs: 5_000 });
  for (let n = 0; n < 9; n += 1) putPod(stage.api.store, `large-${n}`);
  expect(await outcome(own.client.get(PODS, { limit: 9 }))).toBe('too-large');
});
test('a question that is given up waits no longer', async () => {
  stage.api.faults.on(isReview, { kind: 'hang' });
  stage.api.faults.on(isList, { kind: 'hang' });
  const given = new AbortController();
  const asked = outcome(client.get(PODS, { limit: 1 }, given.signal));
  given.abort();
  expect(await asked).toBe('unreachable');
});
