import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { failure, ok } from '@sallyport/model';
import { discoveryV1, gatewayV1, supervisorV1 } from '@sallyport/wire';
import { describe, expect, test } from 'vitest';
import {
  answering,
  directory,
  discoveryOf,
  gatewayOf,
  reach,
  refusing,
  run,
  SERVICE_STATE_DECLARED,
  SERVICE_STATE_INSTALLED,
  SERVICE_STATE_PUBLISHED,
  SERVICE_STATE_REJECTED,
  serve,
  service,
} from './testing/installation.ts';

describe('services', () => {
  test('are listed for people and for programs', async () => {
    const server = await serve(
      gatewayOf({
        listServices: answering({
          services: [
            service({ sinceMs: 125_000n }),
            service({
              name: { workspace: 'team', sandbox: 'demo', service: '' },
              state: SERVICE_STATE_REJECTED,
              detail: 'port 22 is not allowed',
            }),
          ],
        }),
      }),
    );
    const people = await run(['service', 'list'], reach(server));
    expect(people.out.split('\n').slice(0, 3)).toEqual([
      'SERVICE        PORT  STATE      SINCE  CERTAIN FOR  URL                                 DETAIL',
      'team/demo/web  3000  published  2 min  -            https://team--demo--web.apps.test/  -',
      'team/demo      3000  rejected   -      -            https://team--demo--web.apps.test/  port 22 is not allowed',
    ]);
    const programs = await run(['service', 'list', '-o', 'json'], reach(server));
    expect([programs.code, programs.err]).toEqual([0, '']);
    expect(JSON.parse(programs.out)[0]).toEqual({
      workspace: 'team',
      sandbox: 'demo',
      service: 'web',
      port: 3000,
      host: 'team--demo--web.apps.test',
      url: 'https://team--demo--web.apps.test/',
      state: 'published',
      detail: '',
      endpoint: '10.0.0.7:8443',
      configRevision: '9007199254740993',
      sinceMs: 125_000,
      certainForMs: null,
      policy: { host: 'public', origin: 'keep', cookies: 'isolate' },
    });
  });
  test('say for how long discovery is certain of them, where it can be asked', async () => {
    const [web, api] = ['web', 'api'].map((name) => ({
      name: { workspace: 'team', sandbox: 'demo', service: name },
      host: `${name}.test`,
    }));
    const state = SERVICE_STATE_INSTALLED;
    const gateway = await serve(gatewayOf({ listServices: answering({ services: [service(web), service({ ...api, state })] }) }));
    const records = ['web.test', 'api.test'].map((host) => ({ recordId: host, host, ttlMs: 9_500 }));
    const discovery = await serve(
      discoveryOf(async (_request, stream) => {
        stream.send({ part: discoveryV1.SnapshotPart.fromPartial({ records, token: 't' }) });
        return ok(undefined);
      }),
    );
    const env = { ...reach(gateway), ...reach(discovery, 'DISCOVERY') };
    const [, published, installed] = (await run(['service', 'list'], env)).out.split('\n');
    expect(published).toMatch(/published +- +9\.5 s +https/);
    // What the gateway does not call published is certain of nothing.
    expect(installed).toMatch(/installed +- +- +https/);
    const gone = { ...env, SALLYPORT_DISCOVERY: '127.0.0.1:1' };
    expect((await run(['service', 'list'], gone)).out).toMatch(/published +- +- +https/);
  });
  test('none are said to be none, and are an empty list for programs', async () => {
    const server = await serve(gatewayOf({ listServices: answering({ services: [] }) }));
    expect(await run(['service', 'list'], reach(server))).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringMatching(/service expose/),
    });
    expect((await run(['service', 'list', '-o', 'json'], reach(server))).out).toBe('[]\n');
  });
  test('one is shown, one is deleted', async () => {
    const server = await serve(gatewayOf({ getService: answering({ service: service() }), deleteService: answering({}) }));
    expect((await run(['service', 'get', 'team/demo/web'], reach(server))).out).toMatch(/^service +team\/demo\/web\nurl +https/);
    expect(await run(['service', 'delete', 'team/demo/web'], reach(server))).toEqual({
      code: 0,
      out: '',
      err: 'team/demo/web is withdrawn\n',
    });
  });
});

describe('service expose', () => {
  /** Goes through these states, one at each look. */
  const through = (...states: Partial<gatewayV1.Service>[]) => {
    let at = 0;
    const next = async () => ok({ service: service(states[Math.min(at++, states.length - 1)]) });
    return gatewayOf({ exposeService: next, getService: next });
  };
  const declared = { state: SERVICE_STATE_DECLARED, detail: 'the supervisor has not acknowledged it', endpoint: '' };
  const argv = ['service', 'expose', 'team/demo/web=3000'];

  test('prints the URL alone, tells how it goes on, and ends when it is published', async () => {
    const server = await serve(
      through(declared, declared, { state: SERVICE_STATE_INSTALLED, detail: 'not published (yet)', endpoint: '' }, {}),
    );
    expect(await run(argv, reach(server))).toEqual({
      code: 0,
      out: 'https://team--demo--web.apps.test/\n',
      err: [
        'team/demo/web declared: the supervisor has not acknowledged it',
        'team/demo/web installed: not published (yet)',
        'team/demo/web published at 10.0.0.7:8443',
        '',
      ].join('\n'),
    });
  });
  test('prints one JSON value of how it ended', async () => {
    const server = await serve(through(declared, {}));
    expect(JSON.parse((await run([...argv, '-o', 'json'], reach(server))).out)).toMatchObject({ state: 'published', port: 3000 });
  });
  test('ends at once when the supervisor refuses', async () => {
    const server = await serve(through(declared, { state: SERVICE_STATE_REJECTED, detail: "port 22 is the supervisor's own" }));
    expect(await run(argv, reach(server))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/sallyport: team\/demo\/web is declared and not served: port 22 .*; mend it/),
    });
  });
  test('gives up when the time is over', async () => {
    const server = await serve(through(declared));
    expect(await run([...argv, '--wait', '50ms'], reach(server))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/not served after 0.05 s .*; look again with: sallyport service get/),
    });
  });
  test('takes installed for served where nothing is published', async () => {
    const server = await serve(through({ state: SERVICE_STATE_INSTALLED, detail: 'no listener', endpoint: '' }));
    expect(await run([...argv, '--wait', '100ms'], reach(server))).toMatchObject({ code: 0 });
  });
  test('does not look with --no-wait', async () => {
    const server = await serve(
      gatewayOf({
        exposeService: answering({ service: service(declared) }),
        getService: refusing(failure('unsupported', 'asked all the same')),
      }),
    );
    expect(await run([...argv, '--no-wait'], reach(server))).toMatchObject({ code: 0, err: '' });
  });
  test('ends at Ctrl-C', async () => {
    const server = await serve(through(declared));
    const interrupt = new AbortController();
    const running = run([...argv, '--wait', '10m'], reach(server), interrupt.signal);
    setImmediate(() => interrupt.abort());
    expect((await running).code).toBe(130);
  });
  test('sends the policy that was asked for', async () => {
    let asked: gatewayV1.ExposeServiceRequest | undefined;
    const server = await serve(
      gatewayOf({
        exposeService: async (request) => {
          asked = request;
          return ok({ service: service({ state: SERVICE_STATE_PUBLISHED }) });
        },
      }),
    );
    await run(
      [
        'service',
        'expose',
        'team/demo',
        '--port',
        '1',
        '--host-policy',
        'loopback',
        '--origin-policy',
        'strip',
        '--cookies',
        'pass',
      ],
      reach(server),
    );
    expect(asked).toEqual({
      name: { workspace: 'team', sandbox: 'demo', service: '' },
      port: 1,
      policy: {
        host: 'loopback',
        origin: supervisorV1.OriginPolicy.ORIGIN_POLICY_STRIP,
        cookies: supervisorV1.CookiePolicy.COOKIE_POLICY_PASS,
      },
    });
  });
});

describe('sandboxes', () => {
  const sandbox = gatewayV1.Sandbox.fromPartial({
    name: { workspace: 'team', sandbox: 'demo' },
    sandboxId: 'sb1',
    mode: supervisorV1.Mode.MODE_DEDICATED,
    poolId: 'p1',
    runtimeId: 'r1',
    serviceCount: 2,
  });
  test('a token goes to stdout alone, or to a file that only its owner reads', async () => {
    const server = await serve(gatewayOf({ registerSandbox: answering({ sandbox, supervisorToken: 'secret' }) }));
    expect(await run(['sandbox', 'register', 'team/demo'], reach(server))).toMatchObject({ code: 0, out: 'secret\n' });
    const path = join(directory, 'demo.token');
    const saved = await run(['sandbox', 'register', 'team/demo', '--save-token', path], reach(server));
    expect([
      saved.code,
      saved.out,
      saved.err.includes('secret'),
      readFileSync(path, 'utf8'),
      statSync(path).mode & 0o777,
    ]).toEqual([0, '', false, 'secret\n', 0o600]);
  });
  test.each([
    [[], 0, ''],
    [['--dedicated'], 1, ''],
    [['--pool', 'p2'], 2, 'p2'],
  ] as [string[], number, string][])('are registered where it is asked for: %j', async (options, mode, poolId) => {
    let asked: gatewayV1.RegisterSandboxRequest | undefined;
    const server = await serve(
      gatewayOf({
        registerSandbox: async (request) => {
          asked = request;
          return ok({ sandbox, supervisorToken: '' });
        },
      }),
    );
    expect(await run(['sandbox', 'register', 'team/demo', ...options], reach(server))).toMatchObject({ code: 0, out: '' });
    expect(asked).toEqual({ name: { workspace: 'team', sandbox: 'demo' }, mode, poolId, runtimeId: '' });
  });
  test('are listed and deleted', async () => {
    const server = await serve(gatewayOf({ listSandboxes: answering({ sandboxes: [sandbox] }), deleteSandbox: answering({}) }));
    expect((await run(['sandbox', 'list'], reach(server))).out).toBe(
      'SANDBOX    MODE       POOL  SERVICES  RUNTIME\nteam/demo  dedicated  p1    2         r1\n',
    );
    expect(JSON.parse((await run(['sandbox', 'list', 'team', '-o', 'json'], reach(server))).out)).toEqual([
      { workspace: 'team', sandbox: 'demo', sandboxId: 'sb1', mode: 'dedicated', poolId: 'p1', runtimeId: 'r1', serviceCount: 2 },
    ]);
    expect(await run(['sandbox', 'delete', 'team/demo'], reach(server))).toMatchObject({
      code: 0,
      err: 'team/demo is deleted\n',
    });
  });
  test.each([
    [['sandbox', 'register', 'team/demo', '--pool', 'p', '--dedicated'], /do not go with --pool/],
    [['sandbox', 'register', 'team/demo/web'], /is a service/],
    [['sandbox', 'list', 'team/demo'], /is a sandbox/],
  ])('%j is misused', async (argv, why) => expect(await run(argv)).toMatchObject({ code: 64, err: expect.stringMatching(why) }));
});

test('the status names what is wrong', async () => {
  const server = await serve(
    gatewayOf({
      getStatus: answering(
        gatewayV1.GetStatusResponse.fromPartial({ gatewayId: 'gw1', version: '1', domain: 'apps.test', hasAuthority: false }),
      ),
    }),
  );
  expect(await run(['status'], reach(server))).toMatchObject({
    code: 0,
    out: expect.stringMatching(/NO authority/),
    err: expect.stringMatching(/no supervisors have joined/),
  });
});
test('the status names what workloads declare and nobody follows', async () => {
  const problems = [{ workspace: 'team', sandbox: 'demo', problem: '"api=none" is\u0007 not name=port' }];
  const of = (problemCount: number) =>
    gatewayOf({ getStatus: answering(gatewayV1.GetStatusResponse.fromPartial({ gatewayId: 'gw1', problems, problemCount })) });
  const ran = await run(['status'], reach(await serve(of(3))));
  expect(ran.out).toMatch(/^team\/demo {2}"api=none" is {2}not name=port$/m);
  expect(ran.out).toMatch(/and 2 more/);
  expect((await run(['status'], reach(await serve(of(1))))).out).not.toMatch(/more/);
});

describe('the snapshot', () => {
  const record = {
    recordId: 'sb1/web',
    workspace: 'team',
    sandbox: 'demo',
    service: 'web',
    host: 'h.apps.test',
    url: 'https://h.apps.test/',
    endpoint: { address: '::1', port: 8443, podUid: 'u' },
    ttlMs: 12_345,
    renewedBy: 'g1.9',
    ownerEpoch: 5n,
    configRevision: 3n,
  };
  test('is put together from its parts', async () => {
    const server = await serve(
      discoveryOf(async (_request, stream) => {
        stream.send({ part: { records: [record], token: '', removed: [] } });
        stream.send({ part: { records: [{ ...record, recordId: 'sb2/web' }], token: 'g.7', removed: [] } });
        return ok(undefined);
      }),
    );
    expect((await run(['discovery', 'snapshot'], reach(server, 'DISCOVERY'))).out.split('\n')[1]).toBe(
      'h.apps.test  [::1]:8443  12.3 s       team/demo/web',
    );
    expect(JSON.parse((await run(['discovery', 'snapshot', '-o', 'json'], reach(server, 'DISCOVERY'))).out)).toMatchObject({
      token: 'g.7',
      records: [{ ownerEpoch: '5' }, {}],
    });
  });
  test('is none without its last part', async () => {
    const server = await serve(
      discoveryOf(async (_request, stream) => {
        stream.send({ part: { records: [record], token: '', removed: [] } });
        return ok(undefined);
      }),
    );
    expect(await run(['discovery', 'snapshot'], reach(server, 'DISCOVERY'))).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/last part is missing/),
    });
  });
  test('is refused while discovery is not ready', async () => {
    const server = await serve(discoveryOf(refusing(failure('not-ready', 'the store has not been read yet'))));
    expect(await run(['discovery', 'snapshot'], reach(server, 'DISCOVERY'))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/has not been read yet; try again/),
    });
  });
});

test('a dev stack is found by its ready file', async () => {
  const server = await serve(gatewayOf({ listServices: answering({ services: [] }) }));
  const { SALLYPORT_GATEWAY, SALLYPORT_TOKEN_FILE, SALLYPORT_CA_FILE } = reach(server);
  mkdirSync(join(directory, '.sallyport'));
  const file = join(directory, '.sallyport', 'ready.json');
  writeFileSync(
    file,
    JSON.stringify({
      gatewayAddress: SALLYPORT_GATEWAY,
      discoveryAddress: 'x:1',
      adminTokenFile: SALLYPORT_TOKEN_FILE,
      caFile: SALLYPORT_CA_FILE,
    }),
  );
  expect(await run(['service', 'list'])).toMatchObject({ code: 0 });
  expect(await run(['service', 'list'], { SALLYPORT_STATE_DIR: '.sallyport' })).toMatchObject({ code: 0 });
  expect(await run(['service', 'list'], { SALLYPORT_STATE_DIR: 'elsewhere' })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no dev stack runs with .*elsewhere/),
  });
  const { address, port } = await closedPort();
  const named = { gatewayAddress: `${address}:${port}`, discoveryAddress: 'x:1', adminTokenFile: SALLYPORT_TOKEN_FILE };
  const replicas = [
    { app: 'gateway', address, port },
    { app: 'driver', address: '127.0.0.1', port: 1 },
    { app: 'gateway', address: '127.0.0.1', port: server.address.port },
  ];
  writeFileSync(file, JSON.stringify({ ...named, caFile: SALLYPORT_CA_FILE, processes: replicas }));
  expect(await run(['service', 'list']), 'its first gateway has ended').toMatchObject({ code: 0 });
  writeFileSync(file, JSON.stringify({ ...named, caFile: SALLYPORT_CA_FILE, processes: replicas.slice(0, 2) }));
  expect(await run(['service', 'list']), 'it had no other').toMatchObject({
    code: 1,
    err: expect.stringContaining(`nothing listens on ${address}:${port}`),
  });
  writeFileSync(file, '{}');
  expect(await run(['service', 'list'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/lacks what is needed: start the dev stack again/),
  });
});

/** Nothing listens there any more. */
async function closedPort(): Promise<AddressInfo> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const at = listener.address() as AddressInfo;
  listener.close();
  await once(listener, 'close');
  return at;
}
