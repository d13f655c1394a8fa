import { DEFAULT_POLICY } from '@sallyport/model';
import { createLog, createMetrics } from '@sallyport/process';
import { call, driverV1, type Link, openLink, openServerStream, openTlsFiles, type TlsSource } from '@sallyport/wire';
import { createTestAuthority } from '@sallyport/wire/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DriverServer, serveDriver } from './serve.ts';
import { createStaticDriver, credentialHash } from './static-driver.ts';

const { ComputeDriverServiceService: service, ComputeDriverAppEndpointsServiceService: endpoints } = driverV1;
const trustDomain = 'acme.test';
const authority = await createTestAuthority();
const plain = (value: unknown): never => value as never;
const state = {
  workloads: [
    plain({
      workspace: 'team',
      sandbox: 'demo',
      runtimeId: 'r1',
      ready: true,
      services: [{ service: 'web', port: 80, policy: DEFAULT_POLICY }],
    }),
  ],
  supervisors: [plain({ supervisorUid: 'sup-1', poolId: 'p1', credentialHash: credentialHash('secret'), address: '127.0.0.1' })],
};
const driver = createStaticDriver(state);
const log = createLog({ level: 'silent' });
const options = { deadlineMs: 5_000 };
let server: DriverServer;
let tls: TlsSource;
let link: Link;

const start = async () =>
  serveDriver(
    driver,
    {
      listen: { host: '127.0.0.1', port: 0 },
      tls: await authority.issue('driver', { uris: [`spiffe://${trustDomain}/driver/d1`] }),
      trustDomain,
    },
    { log, metrics: createMetrics(), stopping: new AbortController().signal },
  );
const linkTo = (to: DriverServer): Link =>
  openLink({
    target: `127.0.0.1:${to.address.port}`,
    tls,
    showsCertificate: true,
    server: { kind: 'app', app: 'driver', trustDomain },
  });

beforeAll(async () => {
  server = await start();
  const opened = await openTlsFiles(await authority.issue('gateway', { uris: [`spiffe://${trustDomain}/gateway/g1`] }));
  if (!opened.ok) throw new Error(opened.error);
  tls = opened.value;
  link = linkTo(server);
});
afterAll(async () => {
  link.close();
  await server.drain(AbortSignal.abort());
  tls.close();
  authority.remove();
});

describe('a gateway asks the driver', () => {
  test('what it can', async () => {
    expect(await call(link, service.getCapabilities, {}, options)).toMatchObject({
      value: { driver: 'static', appEndpoints: true },
    });
  });
  test('for one workload, and for all', async () => {
    const services = [{ service: 'web', port: 80, policy: { host: '', origin: 1, cookies: 1 } }];
    const asked = { mode: 0, poolId: '', dedicatedPoolId: '', problem: '', boundaryAddress: '' };
    const workload = { workspace: 'team', sandbox: 'demo', runtimeId: 'r1', ready: true, services, ...asked };
    expect(await call(link, service.getSandbox, { workspace: 'team', sandbox: 'demo' }, options)).toEqual({
      ok: true,
      value: { workload },
    });
    expect(await call(link, service.listSandboxes, {}, options)).toEqual({ ok: true, value: { workloads: [workload] } });
  });
  test('who a supervisor is, and where it can be reached', async () => {
    expect(await call(link, service.authenticateSupervisor, { credential: 'secret' }, options)).toMatchObject({
      value: { supervisorUid: 'sup-1', poolId: 'p1' },
    });
    const asked = { poolId: 'p1', memberId: 'm1', supervisorUid: 'sup-1', appPort: 8443 };
    expect(await call(link, endpoints.resolveSupervisorAppEndpoint, asked, options)).toMatchObject({
      value: { endpoint: { address: '127.0.0.1', port: 8443 } },
    });
  });

  const refusals: [title: string, ask: () => Promise<unknown>, kind: string][] = [
    ['no such workload', () => call(link, service.getSandbox, { workspace: 'team', sandbox: 'other' }, options), 'unknown'],
    ['a name that is none', () => call(link, service.getSandbox, { workspace: 'Team', sandbox: 'demo' }, options), 'malformed'],
    ['a wrong credential', () => call(link, service.authenticateSupervisor, { credential: 'wrong' }, options), 'unauthenticated'],
    ['no credential', () => call(link, service.authenticateSupervisor, { credential: '' }, options), 'malformed'],
    [
      'a port out of range',
      () =>
        call(
          link,
          endpoints.resolveSupervisorAppEndpoint,
          { poolId: 'p1', memberId: 'm1', supervisorUid: 'sup-1', appPort: 70_000 },
          options,
        ),
      'malformed',
    ],
    [
      'a listener that is off',
      () =>
        call(
          link,
          endpoints.resolveSupervisorAppEndpoint,
          { poolId: 'p1', memberId: 'm1', supervisorUid: 'sup-1', appPort: 0 },
          options,
        ),
      'fenced',
    ],
  ];
  test.each(refusals)('and is refused: %s', async (_title, ask, kind) =>
    expect(await ask()).toMatchObject({ ok: false, error: { kind } }),
  );
});

test('a watch tells what is there and what changes, and ends with the driver', async () => {
  const own = await start();
  const to = linkTo(own);
  const watch = openServerStream(to, service.watchSandboxes, {});
  const events = watch.received[Symbol.asyncIterator]();
  const next = async (): Promise<string | undefined> => (await events.next()).value?.event?.$case;
  expect([await next(), await next()]).toEqual(['upserted', 'synced']);
  driver.apply({ ...state, workloads: [] });
  expect(await next()).toBe('removed');
  driver.apply(state);
  expect(await next()).toBe('upserted');
  await own.drain(new AbortController().signal);
  expect(await next()).toBeUndefined();
  expect(await watch.closed).toMatchObject({ kind: 'not-ready', message: 'the driver is stopping' });
  to.close();
});

test('a port in use is said so that people can mend it', async () => {
  const tlsFiles = await authority.issue('driver', { uris: [`spiffe://${trustDomain}/driver/d1`] });
  await expect(
    serveDriver(
      driver,
      { listen: server.address, tls: tlsFiles, trustDomain },
      { log, metrics: createMetrics(), stopping: new AbortController().signal },
    ),
  ).rejects.toThrow(/in use.*--driver-listen/);
});
