import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { get as getHttp } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { createAuthority } from '@sallyport/pki';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { get } from '../stack/client.ts';
import { type DevStack, newFolder, startDev } from '../stack/dev-stack.ts';
import { until } from '../stage/until.ts';
import { freePorts, helloAt, type SmallApp } from './small-apps.ts';

let app: SmallApp;
beforeAll(async () => {
  app = await helloAt('127.0.0.1');
});
afterAll(() => app.close());

const DEFAULT_STATE = '.sallyport';
/** Far more than a line needs from there to here. */
const SAID_WITHIN_MS = 60_000;
const supervisorsOf = ({ ready }: DevStack) => ready.processes.filter(({ app: name }) => name === 'supervisor');

describe.concurrent('npm start', () => {
  test('--mode dedicated, --delivery poll, --domain, --port N, --log-level: a supervisor for each sandbox, on the next ports', async () => {
    const port = await freePorts(2);
    const stack = await startDev([
      ...[`--port=${port}`, '--mode=dedicated', '--delivery=poll', '--domain=apps.example.test', '--log-level=info'],
      // In full, and a service without a name.
      ...[`--service=team/one/web=127.0.0.1:${app.port}`, `--service=team/two=${app.port}`],
    ]);
    try {
      const [web, unnamed] = [stack.url('team/one/web'), stack.url('team/two')];
      expect([web.host, unnamed.host]).toEqual([
        `team--one--web.apps.example.test:${port}`,
        `team--two.apps.example.test:${port + 1}`,
      ]);
      expect(supervisorsOf(stack).map((each) => each.port)).toEqual([port, port + 1]);
      for (const url of [web, unnamed]) expect((await get(url, stack.ca)).body).toBe('hello\n');
      const lines = () =>
        stack
          .stderr()
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as { level: string; msg: string; host?: string });
      // A client has its answer a moment before that is in the log.
      const exchanges = () => lines().filter(({ msg, host }) => msg === 'exchange' && host === web.hostname);
      await until('it is logged', () => exchanges().length > 0, SAID_WITHIN_MS);
      expect(exchanges()).toHaveLength(1);
      expect(lines().filter(({ level }) => level !== 'info')).toEqual([]);
    } finally {
      await stack.stop();
    }
  });

  test('--mode dedicated with one sandbox, --listen, --cert and --key, --state-dir: nothing at the default places', async () => {
    await using own = await ownFolder();
    const { folder } = own;
    const authority = await createAuthority({ commonName: 'our own', days: 30, now: new Date() });
    const names = { dnsNames: ['*.apps.localhost'], usages: ['server' as const], days: 10, now: new Date() };
    const { certPem, keyPem } = await authority.issue(names);
    await writeFile(join(folder, 'cert.pem'), `${certPem}${authority.certPem}`);
    await writeFile(join(folder, 'key.pem'), keyPem);
    const args = ['--mode=dedicated', '--listen=127.0.0.2', '--cert=cert.pem', '--key=key.pem', '--state-dir=mine'];
    const stack = await startDev([...args, `--service=web=${app.port}`], {}, folder);
    try {
      const url = stack.url('team/demo/web');
      expect(supervisorsOf(stack)).toMatchObject([{ address: '127.0.0.2', port: Number(url.port) }]);
      expect(await shownAt('127.0.0.2', url, stack.ca)).toEqual([200, new X509Certificate(certPem).fingerprint256]);
      expect(existsSync(join(folder, 'mine', 'admin.token'))).toBe(true);
      expect((await stack.sallyport('service', 'list', '--state-dir=mine')).stdout).toContain(url.href);
      expect(existsSync(join(folder, DEFAULT_STATE))).toBe(false);
    } finally {
      await stack.stop();
    }
    expect(await readdir(join(folder, 'mine'))).toEqual(['pki']);
  });

  test('several at once in one directory: one CA, ports and names of their own; the ready file has the form that it must', async () => {
    await using own = await ownFolder();
    const { folder } = own;
    const first = await startDev([`--service=web=${app.port}`], {}, folder);
    const second = await startDev(['--service', `web=${app.port}`], {}, folder).catch(async (error: unknown) => {
      await first.stop();
      throw error;
    });
    try {
      expect(second.ready.caFile).toBe(first.ready.caFile);
      expect(second.ready.adminTokenFile).not.toBe(first.ready.adminTokenFile);
      const urls = [first, second].map((stack) => stack.url('team/demo/web'));
      expect(urls[0]?.port).not.toBe(urls[1]?.port);
      for (const url of urls) expect((await get(url, first.ca)).body).toBe('hello\n');
      // The command line finds the first; the second by its directory.
      expect((await first.sallyport('service', 'list')).stdout).toContain(urls[0]?.href);
      expect((await first.sallyport('service', 'list', `--state-dir=${DEFAULT_STATE}/2`)).stdout).toContain(urls[1]?.href);

      expectReadyForm(first);
      expect(await plainHttp(first.url('team/demo/web'))).toEqual([400, `This port speaks HTTPS: ${urls[0]?.href}\n`]);
      // A healthy run has nothing to say there.
      expect([first.stderr(), second.stderr()]).toEqual(['', '']);
    } finally {
      const ended = [await second.stop(), await first.stop()];
      expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    }
    expect(await readdir(folder)).toEqual([DEFAULT_STATE]);
    expect(await readdir(join(folder, DEFAULT_STATE))).toEqual(['pki']);
  });

  test('the CA in the state directory stays the same from start to start: it is trusted once', async () => {
    await using own = await ownFolder();
    const { folder } = own;
    await mkdir(join(folder, 'state'));
    const cas: string[] = [];
    for (let start = 0; start < 2; start += 1) {
      const stack = await startDev(['--state-dir=state', `--service=web=${app.port}`], {}, folder);
      cas.push(stack.ca);
      await stack.stop();
    }
    expect(cas[1]).toBe(cas[0]);
  });
});

/** Gone when the test has ended, however it did. */
async function ownFolder() {
  const { folder, remove } = await newFolder();
  return { folder, [Symbol.asyncDispose]: remove };
}

/** Names and kinds exactly, for scripts rely on them. */
function expectReadyForm({ ready }: DevStack): void {
  expect(Object.keys(ready)).toEqual([
    ...['domain', 'caFile', 'services', 'processes', 'adminTokenFile', 'gatewayAddress', 'discoveryAddress'],
  ]);
  expect(ready).toMatchObject({
    domain: 'apps.localhost',
    caFile: expect.stringMatching(/^\/.*\.crt$/),
    adminTokenFile: expect.stringMatching(/^\/.*admin\.token$/),
    gatewayAddress: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    discoveryAddress: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
  });
  const { port } = new URL(ready.services[0]?.url ?? '');
  const host = 'team--demo--web.apps.localhost';
  expect(ready.services).toEqual([{ workspace: 'team', sandbox: 'demo', service: 'web', host, url: `https://${host}:${port}/` }]);
  expect(ready.processes.map(({ app: name }) => name)).toEqual(['driver', 'gateway', 'discovery', 'supervisor']);
  for (const each of ready.processes)
    expect(each).toEqual({
      name: expect.any(String),
      app: expect.any(String),
      pid: expect.any(Number),
      address: '127.0.0.1',
      port: expect.any(Number),
      adminPort: expect.any(Number),
    });
}

/** The status, and the fingerprint of the certificate that was shown. */
function shownAt(address: string, url: URL, ca: string): Promise<[status: number | undefined, fingerprint: string]> {
  return new Promise((resolve, reject) => {
    const headers = { host: url.host, connection: 'close' };
    const sent = request({ host: address, port: url.port, servername: url.hostname, ca, headers }, (response) => {
      resolve([response.statusCode, (response.socket as TLSSocket).getPeerCertificate().fingerprint256]);
      response.resume();
    });
    sent.on('error', reject);
    sent.end();
  });
}

function plainHttp(url: URL): Promise<[status: number | undefined, body: string]> {
  return new Promise((resolve, reject) => {
    getHttp({ host: '127.0.0.1', port: url.port, headers: { host: url.host } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve([response.statusCode, body]));
    }).on('error', reject);
  });
}
