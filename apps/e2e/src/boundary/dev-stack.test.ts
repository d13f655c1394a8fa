import { describeEtcd } from '@sallyport/store/testing/etcd';
import { expect, test } from 'vitest';
import { get } from '../stack/client.ts';
import { startDev } from '../stack/dev-stack.ts';
import { startLiveApp } from '../stack/live-app.ts';

describeEtcd('npm start -- --processes --boundaries', () => {
  test('reaches each sandbox through a boundary of its own, and names it in the ready file', async () => {
    const [web, api] = await Promise.all([startLiveApp('web'), startLiveApp('api')]);
    const stack = await startDev([
      '--processes',
      '--boundaries',
      `--service=team/one/web=${web.port}`,
      `--service=team/two/api=${api.port}`,
    ]);
    try {
      const boundaries = stack.ready.processes.filter(({ app }) => app === 'boundary');
      expect(boundaries.map(({ name }) => name).sort()).toEqual(['boundary-1', 'boundary-2']);
      expect((await get(stack.url('team/one/web'), stack.ca)).body).toBe('web\n');
      expect((await get(stack.url('team/two/api'), stack.ca)).body).toBe('api\n');
      const opened = await Promise.all(
        boundaries.map(async ({ adminPort }) => {
          const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
          return Number(/^sallyport_boundary_bytes_total\{direction="out"\} (\d+)/m.exec(text)?.[1] ?? 0);
        }),
      );
      expect(opened.every((bytes) => bytes > 0)).toBe(true);
    } finally {
      await stack.stop();
      await Promise.all([web.close(), api.close()]);
    }
  });
});
