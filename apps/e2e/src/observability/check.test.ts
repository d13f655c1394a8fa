import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute } from '@sallyport/cli';
import { readConfig, SHARED_POOL, type Stack, startStack } from '@sallyport/dev/stack';
import { DEFAULT_POLICY, formatAddress, parseServiceRef } from '@sallyport/model';
import { createAuthority } from '@sallyport/pki';
import { createClock, createLog, createMetrics, type Process, randomId } from '@sallyport/process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Record as DnsRecord, startDnsServer } from '../testing/observability/dns-server.ts';

/** `sallyport check` against a whole installation, its certificates, and a DNS server of our own. */

const DOMAIN = 'apps.test';
const HERE: DnsRecord = { kind: 'address', v4: '127.0.0.1' };
let folder: string;
let stack: Stack;
let dns: Awaited<ReturnType<typeof startDnsServer>>;
let zone: (name: string) => DnsRecord;
let noTls: Server;
const clock = createClock();
const stopping = new AbortController();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-check-'));
  const reading = readConfig({ env: {}, args: [`--domain=${DOMAIN}`, '--port=0'] });
  if (reading.kind !== 'read') throw new Error(JSON.stringify(reading));
  const process: Process = {
    clock,
    log: createLog({ level: 'silent' }),
    metrics: createMetrics(),
    randomId,
    stopping: stopping.signal,
    admin: { host: '127.0.0.1', port: 1 },
  };
  const [run, pki] = [join(folder, 'run'), join(folder, 'pki')];
  for (const each of [run, pki]) await mkdir(each);
  stack = await startStack(reading.config, process, { run, pki, release: async () => undefined }, () => undefined);
  dns = await startDnsServer((name) => zone(name));
  noTls = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
});
afterAll(async () => {
  stopping.abort();
  noTls.close();
  await dns.close();
  await stack.close(AbortSignal.abort());
  clock.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Check {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
  readonly nextStep: string;
}
interface Asked {
  readonly options?: readonly string[];
  readonly zone?: (name: string) => DnsRecord;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

async function check(asked: Asked = {}): Promise<{ readonly code: number; readonly checks: Readonly<Record<string, string>> }> {
  zone = asked.zone ?? (() => HERE);
  let out = '';
  const code = await execute({
    argv: ['check', '-o', 'json', '--resolver', dns.address, ...(asked.options ?? [])],
    env: {
      SALLYPORT_GATEWAY: formatAddress(stack.gatewayAddress),
      SALLYPORT_DISCOVERY: formatAddress(stack.discoveryAddress),
      SALLYPORT_TOKEN_FILE: stack.adminTokenFile,
      SALLYPORT_CA_FILE: stack.caFile,
      ...asked.env,
    },
    cwd: folder,
    stdout: (text) => {
      out += text;
    },
    stderr: () => undefined,
    signal: new AbortController().signal,
  });
  const { checks } = JSON.parse(out) as { checks: Check[] };
  for (const { state, nextStep } of checks) expect(nextStep === '').toBe(state === 'holds');
  const marks: Readonly<Record<string, string>> = { holds: '+', fails: '-', skipped: '.' };
  return { code, checks: Object.fromEntries(checks.map(({ name, state, detail }) => [name, `${marks[state]} ${detail}`])) };
}

const failing = (checks: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(checks).flatMap(([name, text]) => (text.startsWith('-') ? [name] : []));
const appPort = (): number => stack.supervisors()[0]?.appPort ?? 0;
const appAddress = (): readonly string[] => ['--app-address', `127.0.0.1:${appPort()}`];

test('an installation without a supervisor', async () => {
  const { code, checks } = await check({ options: ['--app-address', '127.0.0.1:1'] });
  expect([code, failing(checks)]).toEqual([1, ['supervisors', 'app port']]);
  expect(checks.supervisors).toBe('- none has joined: nothing can be served');
  expect(checks['app port']).toBe('- nothing listens on 127.0.0.1:1');
});

describe('with a supervisor', () => {
  beforeAll(() => stack.supervise(SHARED_POOL, 0, 10));

  test('and nothing exposed, all holds; the certificate is not shown to a name that nobody declares', async () => {
    const { checks } = await check({ options: appAddress() });
    expect(failing(checks)).toEqual([]);
    expect(checks['app port']).toMatch(/^\+ 127\.0\.0\.1:\d+ listens, and refuses names that nobody declares$/);
    expect(checks.certificate).toBe('. not seen: nothing is published yet');
  });

  describe('and a service', () => {
    beforeAll(async () => {
      const ref = parseServiceRef('team/demo/web');
      if (!ref.ok) throw new Error(ref.error);
      const { workspace, sandbox } = ref.value;
      await stack.operator.register({ workspace, sandbox }, 'shared', SHARED_POOL);
      await stack.operator.expose({ ref: ref.value, port: 9, policy: DEFAULT_POLICY });
      for (;;) if ((await stack.operator.list()).some(({ endpoint }) => endpoint !== '')) break;
    });

    test('all holds', async () => {
      const { code, checks } = await check();
      expect([code, failing(checks)]).toEqual([0, []]);
      expect(checks).toMatchObject({
        gateway: expect.stringMatching(/^\+ 127\.0\.0\.1:\d+ answers: release \S+, 1 sandbox, 1 service$/),
        'gateway clock': expect.stringMatching(/^\+/),
        store: '+ in the memory of the gateway: what is declared ends with it',
        authority: expect.stringMatching(/^\+ held/),
        driver: expect.stringMatching(/^\+ static driver of release/),
        supervisors: '+ 1 ready, 1 with the listener on',
        discovery: expect.stringMatching(/^\+ .* its view is \d\.\d s old$/),
        'discovery clock': expect.stringMatching(/^\+/),
        dns: '+ *.apps.test leads to 127.0.0.1',
        'app port': expect.stringMatching(/^\+ 127\.0\.0\.1:\d+ answers for team--demo--web\.apps\.test$/),
        certificate: expect.stringMatching(/covers \*\.apps\.test until/),
      });
    });

    const elsewhere = (host: string, record: DnsRecord) => (name: string) => (name === host ? record : HERE);
    const host = 'team--demo--web.apps.test';
    const broken: [title: string, asked: () => Asked, wanted: Readonly<Record<string, RegExp>>][] = [
      [
        'no wildcard record',
        () => ({ zone: () => ({ kind: 'nowhere' }) }),
        { dns: /there is no wildcard record for \*\.apps\.test/ },
      ],
      [
        'a record of one host that leads elsewhere',
        () => ({ zone: elsewhere(host, { kind: 'address', v4: '127.0.0.9' }) }),
        { dns: /leads to 127\.0\.0\.9, other names under apps\.test to 127\.0\.0\.1/ },
      ],
      ['a DNS server that fails', () => ({ zone: () => ({ kind: 'failing' }) }), { dns: /DNS does not answer for .*ESERVFAIL/ }],
      ['nothing at the port', () => ({ options: ['--app-address', '127.0.0.1:1'] }), { 'app port': /nothing listens/ }],
      [
        'a port that speaks no TLS',
        () => ({ options: ['--app-address', `127.0.0.1:${(noTls.address() as AddressInfo).port}`] }),
        { 'app port': /speaks no TLS/ },
      ],
      ['another domain than is served', () => ({ options: ['--domain', 'other.test', ...appAddress()] }), {}],
      [
        'a token that is none',
        () => ({ env: { SALLYPORT_TOKEN_FILE: stack.caFile } }),
        { gateway: /holds no token/, discovery: /holds no token/ },
      ],
      [
        'another CA',
        () => ({ env: { SALLYPORT_CA_FILE: join(folder, 'other-ca.pem') } }),
        { gateway: /was not signed by/, discovery: /was not signed by/ },
      ],
      [
        'a discovery that is not there',
        () => ({ env: { SALLYPORT_DISCOVERY: '127.0.0.1:1' } }),
        { discovery: /nothing listens on 127\.0\.0\.1:1/ },
      ],
    ];
    test.each(broken)('%s', async (_title, asked, wanted) => {
      await writeFile(
        join(folder, 'other-ca.pem'),
        (await createAuthority({ commonName: 'x', days: 1, now: new Date() })).certPem,
      );
      const { code, checks } = await check(asked());
      expect(failing(checks)).toEqual(Object.keys(wanted));
      for (const [name, detail] of Object.entries(wanted)) expect(checks[name]).toMatch(detail);
      expect(code).toBe(Object.keys(wanted).length === 0 ? 0 : 1);
    });
  });
});

describe('before anything is installed', () => {
  const nothing = { SALLYPORT_GATEWAY: undefined, SALLYPORT_DISCOVERY: undefined };
  const now = new Date();
  const certificate = async (dnsNames: readonly string[], at = now): Promise<string> => {
    const authority = await createAuthority({ commonName: 'public CA', days: 90, now: at });
    const { certPem } = await authority.issue({ dnsNames, usages: ['server'], days: 60, now: at });
    const file = join(folder, `${randomId()}.pem`);
    await writeFile(file, certPem);
    return file;
  };
  const daysAgo = (days: number): Date => new Date(now.getTime() - days * 86_400_000);
  const rows: [title: string, file: () => Promise<string>, code: number, detail: RegExp][] = [
    ['a wildcard certificate', () => certificate([`*.${DOMAIN}`, DOMAIN]), 0, /^\+ .* covers \*\.apps\.test until/],
    ['one for other names', () => certificate(['*.other.test']), 1, /^- .* is for \*\.other\.test, not for \*\.apps\.test/],
    ['one of yesterday', () => certificate([`*.${DOMAIN}`], daysAgo(61)), 1, /^- .* ended on/],
    ['one that nothing renews', () => certificate([`*.${DOMAIN}`], daysAgo(50)), 1, /^- .* ends in \d+ days/],
    ['a file that is none', async () => stack.adminTokenFile, 1, /^- no certificate can be read from/],
    ['a file that is not there', async () => join(folder, 'none.pem'), 1, /^- no certificate can be read from .* \(ENOENT\)/],
  ];
  test.each(rows)('%s', async (_title, file, code, detail) => {
    const options = ['--domain', DOMAIN, '--cert-file', await file()];
    const looked = await check({ options: [...options, '--app-address', `127.0.0.1:${appPort()}`], env: nothing });
    expect(looked.checks).toMatchObject({
      gateway: '. not looked at: nobody said where it is',
      discovery: '. not looked at: nobody said where it is',
      dns: '+ *.apps.test leads to 127.0.0.1',
      certificate: expect.stringMatching(detail),
    });
    expect(looked.code).toBe(code);
  });
});
