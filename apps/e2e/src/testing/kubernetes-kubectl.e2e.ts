import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isWatch, type KubeStage, openKubeStage, putPod, until } from '@sallyport/kube/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeKubectl } from './needs.ts';

/** A client that knows nothing of us: what it makes of the test API server is what it would make of a real one. */
describeKubectl('kubectl', () => {
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
  function watch(): { readonly child: ChildProcess; readonly events: () => readonly string[] } {
    const line = 'jsonpath={.type} {.object.metadata.name}{"\\n"}';
    const child = spawn('kubectl', argsOf('get', 'pods', '-w', '--output-watch-events', '-o', line), {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    return {
      child,
      events: () =>
        text
          .split('\n')
          .map((each) => each.trim())
          .filter((each) => each !== ''),
    };
  }

  test('watches: what there is, then each change', async () => {
    const { child, events } = watch();
    try {
      await until('the list', () => events().includes('ADDED p2'));
      await until('the watch', () => stage.api.watches.count === 1);
      putPod(stage.api.store, 'p3');
      putPod(stage.api.store, 'p3', { ready: false });
      stage.api.store.remove('pods', 'default', 'p0');
      await until('the changes', () => events().includes('DELETED p0'));
      expect(events()).toEqual(['ADDED p0', 'ADDED p1', 'ADDED p2', 'ADDED p3', 'MODIFIED p3', 'DELETED p0']);
    } finally {
      child.kill();
    }
  });

  // It shows the refusal as an event and ends; whoever watches on lists again, and has missed nothing.
  test('is told of a 410 between its list and its watch; watched again, it follows on from a new list', async () => {
    const compacted = Promise.withResolvers<void>();
    stage.api.faults.on(isWatch, { kind: 'held', until: compacted.promise });
    const asked = stage.api.requests.length;
    const first = watch();
    const ended = once(first.child, 'close');
    await until('the watch is asked for', () =>
      stage.api.requests.slice(asked).some((request) => request.includes('watch=true')),
    );
    putPod(stage.api.store, 'p4');
    stage.api.store.compact();
    compacted.resolve();
    expect((await ended)[0]).toBe(0);
    expect(first.events().at(-1)).toBe('ERROR');
    expect(first.events()).not.toContain('ADDED p4');
    const second = watch();
    try {
      await until('the new list', () => second.events().includes('ADDED p4'));
      await until('the new watch', () => stage.api.watches.count === 1);
      putPod(stage.api.store, 'p5');
      await until('the change', () => second.events().includes('ADDED p5'));
    } finally {
      second.child.kill();
    }
  });
});
