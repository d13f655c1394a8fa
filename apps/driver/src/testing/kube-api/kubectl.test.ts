import { execFile, execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KubeStage, openKubeStage } from '../kube-stage.ts';
import { until } from '../until.ts';
import { putPod } from './pods.ts';

/** A client that knows nothing of us: what it makes of the test API server is what it would make of a real one. */
const present = isPresent();
function isPresent(): boolean {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    if (process.env.SALLYPORT_REQUIRE === 'all') throw new Error('kubectl is missing: apt-get install kubernetes-client');
    return false;
  }
}

describe.skipIf(!present)(present ? 'kubectl' : 'kubectl (missing: apt-get install kubernetes-client)', () => {
  let stage: KubeStage;
  let config: string;
  beforeAll(async () => {
    stage = await openKubeStage();
    config = join(stage.directory, 'kubeconfig');
    const cluster = { server: stage.api.url, 'certificate-authority': stage.caFile };
    writeFileSync(
      config,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'a',
        contexts: [{ name: 'a', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster }],
        users: [{ name: 'u', user: { token: 'kubectl' } }],
      }),
    );
    stage.api.knowsBearer('kubectl', 'kubectl');
    stage.api.rbac.grant('kubectl', [{ rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] }] }]);
    for (let n = 0; n < 3; n += 1) putPod(stage.api.store, `p${n}`, { ips: [`10.0.0.${n}`] });
  });
  afterAll(() => stage.close());
  const argsOf = (...args: string[]): string[] => [`--kubeconfig=${config}`, `--cache-dir=${stage.directory}/cache`, ...args];
  const run = async (...args: string[]): Promise<string> => (await promisify(execFile)('kubectl', argsOf(...args))).stdout;

  test('lists in pages', async () => {
    expect((await run('get', 'pods', '--chunk-size=2', '-o', 'name')).trim().split('\n')).toEqual(['pod/p0', 'pod/p1', 'pod/p2']);
    expect(stage.api.requests.some((request) => request.includes('continue='))).toBe(true);
  });
  test('reads one', async () => expect(await run('get', 'pod', 'p1', '-o', 'jsonpath={.status.podIP}')).toBe('10.0.0.1'));
  test('is told of one that is not there', async () =>
    await expect(run('get', 'pod', 'p9')).rejects.toThrow(/NotFound.*"p9" not found/));
  test('is told what it may not do', async () =>
    await expect(run('get', 'events')).rejects.toThrow(/Forbidden.*cannot list resource "events"/));
  test('watches: what there is, then each change', async () => {
    const child = spawn(
      'kubectl',
      argsOf('get', 'pods', '-w', '--output-watch-events', '-o', 'jsonpath={.type} {.object.metadata.name}{"\\n"}'),
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    try {
      await until('the list', () => /p2/.test(text));
      await until('the watch', () => stage.api.watches.count === 1);
      putPod(stage.api.store, 'p3');
      putPod(stage.api.store, 'p3', { ready: false });
      stage.api.store.remove('pods', 'default', 'p0');
      await until('the changes', () => /DELETED p0/.test(text));
      const events = text.split('\n').filter((line) => line !== '');
      expect(events).toEqual(['ADDED p0', 'ADDED p1', 'ADDED p2', 'ADDED p3', 'MODIFIED p3', 'DELETED p0']);
    } finally {
      child.kill();
    }
  });
});
