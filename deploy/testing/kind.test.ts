import { execFile, execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAuthority } from '@sallyport/pki';
import { freePorts } from '@sallyport/store/etcd-process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { objectsOf, podsOf } from './objects.ts';

/** There is no cluster here: what can be known of the script without one. */
const FOLDER = join(import.meta.dirname, '../kind');
const script = readFileSync(join(FOLDER, 'run.sh'), 'utf8');

test.each(globSync('../{kind,images}/*.sh', { cwd: import.meta.dirname }))('%s is a script that bash understands', (file) => {
  execFileSync('bash', ['-n', join(import.meta.dirname, file)]);
});

test('it looks for what the chart makes', () => {
  const pods = podsOf(objectsOf('kind'));
  const selected = [...script.matchAll(/get pod -l (\S+)=(\S+) /g)].map(([, key = '', value]) =>
    pods.some(({ labels }) => labels[key] === value),
  );
  expect(selected).toEqual([true, true]);
  const secrets = new Set(pods.flatMap(({ spec }) => (spec.volumes ?? []).map(({ secret }) => secret?.secretName)));
  expect(secrets).toContain('sallyport-edge-token');
  expect(secrets).toContain('sallyport-apps');
});

let caPem: string;
let server: Server;
const portOf = (): number => (server.address() as AddressInfo).port;
beforeAll(async () => {
  const now = new Date();
  const ca = await createAuthority({ commonName: 'apps', permittedDomains: ['apps.test'], days: 2, now });
  const { certPem, keyPem } = await ca.issue({ dnsNames: ['*.apps.test'], usages: ['server'], days: 1, now });
  server = createServer({ cert: certPem, key: keyPem }, (_request, response) => response.end());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  caPem = ca.certPem;
});
afterAll(() => void server.close());

async function ask(port: number, host: string, ca: string): Promise<string> {
  const program = ['--input-type=module', '--eval', readFileSync(join(FOLDER, 'ask.mjs'), 'utf8')];
  const { stdout } = await promisify(execFile)(process.execPath, [...program, '--', '127.0.0.1', String(port), host], {
    env: { CA_PEM: ca },
  });
  return stdout.trim();
}

test('a question has a word for each answer', async () => {
  expect(await ask(portOf(), 'a.apps.test', caPem)).toBe('200');
  expect(await ask(portOf(), 'a.other.test', caPem)).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  const [nobody = 0] = await freePorts(1);
  expect(await ask(nobody, 'a.apps.test', caPem)).toBe('refused');
});
