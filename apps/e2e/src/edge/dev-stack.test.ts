import { describeEtcd } from '@sallyport/store/testing/etcd';
import { expect, test } from 'vitest';
import { get } from '../stack/client.ts';
import { startDev } from '../stack/dev-stack.ts';
import { startLiveApp } from '../stack/live-app.ts';

describeEtcd('npm start -- --processes --edges', () => {
  test('URLs lead through the first edge, which follows its service to another supervisor', async () => {
    const app = await startLiveApp('web');
    const stack = await startDev(['--processes', '--edges=1', '--members=2', `--service=team/one/web=${app.port}`]);
    try {
      const url = stack.url('team/one/web');
      const edge = stack.ready.processes.find((each) => each.app === 'edge');
      expect([edge?.name, edge?.port]).toEqual(['edge-1', Number(url.port)]);
      expect((await get(url, stack.ca)).body).toBe('web\n');
      const owner = await ownerOf(stack.ready.processes);
      process.kill(owner.pid, 'SIGTERM');
      await expect.poll(() => isGone(owner.pid)).toBe(true);
      // The edge hears a moment later where it is now; what reaches the old place until then is asked again, as clients do.
      const asked = async (): Promise<string> => (await get(url, stack.ca)).body;
      await expect.poll(() => asked().catch(String)).toBe('web\n');
      await expect(get(new URL(url.href.replace('team--one', 'team--two')), stack.ca)).rejects.toThrow(/unrecognized name/);
    } finally {
      await stack.stop();
      await app.close();
    }
  });
});

async function ownerOf<P extends { readonly app: string; readonly adminPort: number }>(processes: readonly P[]): Promise<P> {
  for (const each of processes.filter(({ app }) => app === 'supervisor')) {
    const text = await (await fetch(`http://127.0.0.1:${each.adminPort}/metrics`)).text();
    if (/^sallyport_supervisor_serving_hosts [1-9]/m.test(text)) return each;
  }
  throw new Error('nobody serves');
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
