import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { declares, putPod, until } from '@sallyport/kube/testing';
import { createLog, createMetrics, type Process, randomId } from '@sallyport/process';
import { createTestAuthority } from '@sallyport/wire/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { type KubeStage, openKubeStage } from './testing/kube-stage.ts';
import { wire } from './wire.ts';

let stage: KubeStage;
const authority = await createTestAuthority();
beforeAll(async () => {
  stage = await openKubeStage();
});
afterAll(async () => {
  await stage.close();
  authority.remove();
});

async function start(user: object) {
  const kubeconfig = join(stage.directory, 'config');
  const cluster = { server: stage.api.url, 'certificate-authority': 'ca.crt' };
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user }],
    }),
  );
  const tls = await authority.issue('driver', { uris: ['spiffe://sallyport.local/driver/d1'] });
  const reading = readConfig({
    env: {},
    args: [
      '--backend=kubernetes',
      '--driver-listen=127.0.0.1:0',
      `--kubeconfig=${kubeconfig}`,
      `--internal-ca-file=${tls.caFile}`,
      `--internal-cert-file=${tls.certFile}`,
      `--internal-key-file=${tls.keyFile}`,
    ],
  });
  if (reading.kind !== 'read') throw new Error(JSON.stringify(reading));
  const metrics = createMetrics();
  const process: Process = {
    clock: stage.clock,
    log: createLog({ level: 'silent' }),
    metrics,
    randomId,
    stopping: new AbortController().signal,
    admin: { host: '127.0.0.1', port: 1 },
  };
  return { server: await wire(reading.config, process), metrics };
}

test('it says whether it sees anything, and how old that is', async () => {
  putPod(stage.api.store, 'box', declares('team/demo'));
  const { server, metrics } = await start({ tokenFile: 'token' });
  await until('the first list', () => server.ready().every(({ ok }) => ok));
  expect(server.ready()).toContainEqual({
    name: 'kubernetes',
    ok: true,
    detail: expect.stringMatching(/^heard of the Pods \d+ s ago$/),
  });
  const text = await metrics.text();
  for (const [name, value] of [
    ['cache_age_seconds', '[0-9.e-]+'],
    ['pods_held', '1'],
    ['workloads_held', '1'],
    ['lists_taken', '1'],
    ['changes_lost', '0'],
  ])
    expect(text).toMatch(new RegExp(`^sallyport_driver_${name} ${value}$`, 'm'));
  await server.drain(new AbortController().signal);
});
test('it is not ready while it sees nothing', async () => {
  const { server } = await start({ token: 'nobody' });
  expect(server.ready()).toContainEqual({ name: 'kubernetes', ok: false, detail: 'the Pods were never listed' });
  await server.drain(new AbortController().signal);
});
test('it does not start with an exec plugin, and says so in one line', async () => {
  await expect(start({ exec: { command: 'aws' } })).rejects.toThrow(/^.*exec plugins are not run.*$/);
});
