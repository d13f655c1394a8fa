import { join } from 'node:path';
import { failure, ok } from '@sallyport/model';
import { discoveryV1, gatewayV1 } from '@sallyport/wire';
import { describe, expect, test } from 'vitest';
import { answering, directory, discoveryAnswering, gatewayOf, reach, refusing, run, serve } from '../testing/installation.ts';

/** Servers that answer as a test says; whole installations are in apps/e2e. */

const member = { memberId: 'm1', poolId: 'p1', ready: true, draining: false, appPort: 8443, ownedCount: 1 };
const status = (change: object = {}) =>
  gatewayV1.GetStatusResponse.fromPartial({
    gatewayId: 'g1',
    version: '0.1.0',
    hasAuthority: true,
    members: [member],
    ...change,
  });
const finding = { name: 'store', ok: true, detail: 'etcd 3.6.12', nextStep: '' };
const fine = {
  getStatus: answering(status()),
  checkInstallation: answering({ findings: [finding] }),
  listServices: answering({ services: [] }),
};
const seen = (change: object = {}) =>
  discoveryV1.GetStatusResponse.fromPartial({ version: '0.1.0', lagMs: 300, hasAuthority: true, ...change });

interface Check {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
  readonly nextStep: string;
}
async function check(
  env: Record<string, string>,
  ...more: string[]
): Promise<{ code: number; checks: Readonly<Record<string, Check>> }> {
  const { code, out } = await run(['check', '-o', 'json', '--wait', '0ms', ...more], env);
  const { ok: isOk, checks } = JSON.parse(out) as { ok: boolean; checks: Check[] };
  expect(isOk).toBe(code === 0);
  for (const { state, nextStep } of checks) expect(nextStep === '').toBe(state === 'holds');
  return { code, checks: Object.fromEntries(checks.map((each) => [each.name, each])) };
}

describe('the gateway', () => {
  test('is asked what it finds', async () => {
    const { code, checks } = await check(reach(await serve(gatewayOf(fine))));
    expect(code).toBe(0);
    expect(checks.store).toEqual({ name: 'store', state: 'holds', detail: 'etcd 3.6.12', nextStep: '' });
    expect(checks.supervisors?.detail).toBe('1 ready, 1 with the listener on');
    expect(checks['gateway clock']?.state).toBe('holds');
    expect(checks.discovery?.state).toBe('skipped');
  });
  const old = { name: 'store', ok: false, detail: 'etcd 3.4.23 has bugs', nextStep: 'use etcd 3.6.11 or later' };
  const refusals: [title: string, handlers: object, name: string, state: string, detail: RegExp][] = [
    ['finds an old store', { checkInstallation: answering({ findings: [old] }) }, 'store', 'fails', /3\.4\.23/],
    ['knows no supervisor', { getStatus: answering(status({ members: [] })) }, 'supervisors', 'fails', /none has joined/],
    [
      'knows only one that drains',
      { getStatus: answering(status({ members: [{ ...member, draining: true }] })) },
      'supervisors',
      'fails',
      /none is ready/,
    ],
    [
      'is of an earlier release',
      { checkInstallation: refusing(failure('unsupported', 'no')) },
      'store, driver',
      'skipped',
      /does not look/,
    ],
    ['cannot look', { checkInstallation: refusing(failure('not-ready', 'later')) }, 'store, driver', 'fails', /cannot have/],
    [
      'does not take the token',
      { getStatus: refusing(failure('unauthenticated', 'no such key')) },
      'gateway',
      'fails',
      /does not take the token/,
    ],
  ];
  test.each(refusals)('%s', async (_title, handlers, name, state, detail) => {
    const { code, checks } = await check(reach(await serve(gatewayOf({ ...fine, ...handlers }))));
    expect(checks[name]).toMatchObject({ state, detail: expect.stringMatching(detail) });
    expect(code).toBe(state === 'fails' ? 1 : 0);
  });
  test('is not there', async () => {
    const server = await serve(gatewayOf(fine));
    const env = { ...reach(server), SALLYPORT_GATEWAY: '127.0.0.1:1' };
    const { code, checks } = await check(env);
    expect([code, checks.gateway?.detail]).toEqual([1, expect.stringMatching(/nothing listens on 127\.0\.0\.1:1$/)]);
  });
});

describe('discovery', () => {
  const rows: [title: string, answer: object, state: string, detail: RegExp][] = [
    ['is well', answering(seen()), 'holds', /release 0\.1\.0, its view is 0\.3 s old/],
    ['is of an earlier release', refusing(failure('unsupported', 'no')), 'holds', /of an earlier release/],
    ['is not ready', answering(seen({ notReady: 'the store was not read' })), 'fails', /is not ready: the store was not read/],
    ['hears no gateway', answering(seen({ hasAuthority: false })), 'fails', /hears no gateway renew/],
    ['has an old view', answering(seen({ lagMs: 12_000 })), 'fails', /12 s old/],
    ['lets the reader see nothing', refusing(failure('forbidden', 'no grant')), 'fails', /no grant/],
  ];
  test.each(rows)('%s', async (_title, getStatus, state, detail) => {
    const server = await serve(discoveryAnswering({ getStatus: getStatus as never }));
    const { checks } = await check(reach(server, 'DISCOVERY'));
    expect(checks.discovery).toMatchObject({ state, detail: expect.stringMatching(detail) });
  });
  test('is waited for: it hears of the gateways a little later', async () => {
    let askedCount = 0;
    const getStatus = async () => ok(seen({ hasAuthority: ++askedCount > 2 }));
    const server = await serve(discoveryAnswering({ getStatus }));
    const { out } = await run(['check', '--wait', '10s'], reach(server, 'DISCOVERY'));
    expect(out).toMatch(/✓ discovery /);
    expect(askedCount).toBe(3);
  });
});

test('nothing is known: each line says what to give, and the command line is wrong', async () => {
  const { code, checks } = await check({});
  expect(code).toBe(64);
  expect(await run(['check'], {})).toMatchObject({ code: 64, err: expect.stringMatching(/nothing to look at: give --gateway/) });
  expect(await run(['check', '--cert-file', 'tls.crt'], {})).toMatchObject({ code: 64 });
  expect(Object.values(checks).map(({ name, state }) => [name, state])).toEqual([
    ['gateway', 'skipped'],
    ['discovery', 'skipped'],
    ['dns, app port, certificate', 'skipped'],
  ]);
});
test('people see marks, and what to do under what fails', async () => {
  const server = await serve(gatewayOf({ ...fine, getStatus: answering(status({ members: [] })) }));
  const { code, out, err } = await run(['check'], reach(server));
  expect(code).toBe(1);
  expect(out).toMatch(/^✗ supervisors +none has joined: nothing can be served\n +→ start one/m);
  expect(err).toMatch(/^sallyport: 1 of \d+ checks fail$/m);
});

const misuses: [options: string[], why: RegExp][] = [
  [['--domain', 'a..b'], /--domain: domain "a\.\.b"/],
  [['--app-address', '10.0.0.7'], /--app-address: .* is not host:port/],
  [['--app-address', '10.0.0.7:0'], /is not host:port/],
  [['--app-address', '[10.0.0.7]:443'], /is not host:port/],
  [['--resolver', 'dns.example'], /--resolver: .* is not the IP address/],
  [['--wait', '6'], /--wait: .* is not a duration/],
  [['--gateway', '127.0.0.1:1'], /--gateway needs --token-file and --ca-file as well/],
  [['everything'], /is too much/],
];
test.each(misuses)('%j is misused', async (options, why) =>
  expect(await run(['check', ...options])).toMatchObject({ code: 64, err: expect.stringMatching(why) }),
);

describe('version', () => {
  test('names those that answer', async () => {
    const gateway = await serve(gatewayOf({ getStatus: answering(status({ version: '9.8.7' })) }));
    const discovery = await serve(discoveryAnswering({ getStatus: answering(seen({ version: '9.8.6' })) }));
    const env = { ...reach(gateway), ...reach(discovery, 'DISCOVERY') };
    expect((await run(['version'], env)).out).toMatch(/^client +\d+\.\d+\.\d+\ngateway +9\.8\.7\ndiscovery +9\.8\.6\n$/);
  });
  test('says why of those that do not, and is no failure', async () => {
    const gateway = await serve(gatewayOf({ getStatus: refusing(failure('unauthenticated', 'no such key')) }));
    const ran = await run(['version', '-o', 'json'], reach(gateway));
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({
      gateway: { version: null, why: expect.stringMatching(/does not take the token/) },
      discovery: { version: null, why: expect.stringMatching(/give --discovery/) },
    });
  });
  test('needs nothing to name itself', async () =>
    expect(await run(['version', '--state-dir', join(directory, 'none')])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^client +\d/),
    }));
});
