import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFaultProxy, describeEtcd, type FaultProxy, startTestCluster, type TestCluster } from '../testing/etcd-server.ts';

/** Uses everything, leaves calls under way, closes, and says so. Then nothing may keep the process running. */
const PROGRAM = `
  import { createClock } from '@sallyport/process';
  import { createEtcdStore } from '@sallyport/store/etcd';
  const clock = createClock();
  const quiet = { onWarning: () => undefined, onDisconnected: () => undefined };
  const store = await createEtcdStore({ endpoints: [process.argv.at(-1)], clock, deadlineMs: 300, ...quiet });
  store.watch('/', 1n, { changed: () => undefined, lost: () => undefined });
  const leased = await store.lease(60_000);
  const got = await store.get('/none');
  const underWay = [store.get('/none'), store.commit({ guards: [], changes: [] })];
  await store.close();
  console.log(JSON.stringify({ leased: leased.kind, got: got.kind }));
  await Promise.all(underWay);
`;
/** etcd3 lets a channel that is just connecting go after a second; the rest is for a machine that is busy. */
const ENDS_WITHIN_MS = 5_000;

describeEtcd('a process that uses etcd', () => {
  const folder = join(import.meta.dirname, '../..');
  const started = new Set<ChildProcess>();
  let cluster: TestCluster;
  let proxy: FaultProxy;
  beforeAll(async () => {
    cluster = await startTestCluster();
    proxy = await createFaultProxy({ target: { port: cluster.members[0]?.port ?? 0 } });
  });
  afterAll(async () => {
    for (const child of started) child.kill('SIGKILL');
    await proxy?.close();
    await cluster?.stop();
  });

  /** What it printed when it had closed its store, and how long it went on after that. */
  async function run(...args: string[]): Promise<{ said: unknown; wentOnMs: number; code: unknown }> {
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    started.add(child);
    const exit = once(child, 'exit');
    const [line] = await once(child.stdout, 'data');
    const saidAt = performance.now();
    const [code] = await exit;
    return { said: JSON.parse(String(line)), wentOnMs: performance.now() - saidAt, code };
  }
  const fromSource = ['--conditions=@sallyport/source', '--input-type=module', '-e', PROGRAM, '--'];

  test('ends when it has closed its store', async () => {
    const { said, wentOnMs, code } = await run(...fromSource, proxy.address);
    expect({ said, code }).toEqual({ said: { leased: 'leased', got: 'read' }, code: 0 });
    expect(wentOnMs).toBeLessThan(ENDS_WITHIN_MS);
  });
  test('ends although it never got an answer', async () => {
    proxy.blackhole(true);
    const { said, wentOnMs, code } = await run(...fromSource, proxy.address);
    proxy.blackhole(false);
    expect({ said, code }).toEqual({ said: { leased: 'unavailable', got: 'unavailable' }, code: 0 });
    expect(wentOnMs).toBeLessThan(ENDS_WITHIN_MS);
  });
  test('may be one file, somewhere else', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sallyport-bundle-'));
    const { inlineEtcdProtos } = await import(new URL('../../bundle/inline-etcd-protos.mjs', import.meta.url).href);
    await build({
      stdin: { contents: PROGRAM, resolveDir: folder, loader: 'ts' },
      ...{ bundle: true, format: 'esm', platform: 'node', target: 'node24', conditions: ['@sallyport/source'] },
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      outfile: join(directory, 'program.mjs'),
      plugins: [inlineEtcdProtos],
    });
    const { said, code } = await run(join(directory, 'program.mjs'), proxy.address);
    expect({ said, code }).toEqual({ said: { leased: 'leased', got: 'read' }, code: 0 });
    await rm(directory, { recursive: true });
  });
});
