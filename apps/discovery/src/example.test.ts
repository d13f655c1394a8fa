import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { createStage } from './testing/stage.ts';

const stage = await createStage();
afterAll(() => stage.close());
const script = fileURLToPath(new URL('../../../docs/examples/discovery-client.mjs', import.meta.url));

/** A port that leads to one replica, and then to another: what goes through it is cut off. */
async function openWay(first: number) {
  let target = first;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => [near, far].map((each) => each.destroy()));
    }
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of open) socket.destroy();
    open.clear();
  };
  return {
    port: (server.address() as AddressInfo).port,
    lead(port: number) {
      target = port;
      cut();
    },
    close() {
      server.close();
      cut();
    },
  };
}

test('the client of the documentation follows what comes, goes and may not be seen any more', async () => {
  const { clock, memory, publisher, directory, authority } = stage;
  const one = await stage.start('d1');
  await clock.advanceAsync(1_000);
  await publisher.generation();
  await publisher.grant('edge-1', ['team', 'other']);
  await publisher.publish('team', 'demo', memory.revision());
  await clock.advanceAsync(1_000);
  const tokenFile = join(directory, 'edge.token');
  writeFileSync(tokenFile, await stage.tokenOf({ kind: 'reader', workspaces: 'all' }, 'edge-1'));
  const way = await openWay(one.discovery.address.port);
  const client = spawn(process.execPath, [script, `127.0.0.1:${way.port}`, authority.caFile, tokenFile]);
  let out = '';
  let news = (): void => undefined;
  for (const stream of [client.stdout, client.stderr])
    stream.on('data', (bytes: Buffer) => {
      out += String(bytes);
      news();
    });
  const prints = async (line: string): Promise<void> => {
    while (!out.split('\n').includes(line)) {
      if (client.exitCode !== null) throw new Error(out);
      await new Promise<void>((resolve) => {
        news = resolve;
      });
    }
  };
  try {
    await prints('+ team--demo--web.apps.test 10.0.0.7:8443');
    await publisher.publish('other', 'box', memory.revision());
    await prints('+ other--box--web.apps.test 10.0.0.7:8443');
    // The way to this replica is lost, and leads to another: what is held is used meanwhile, what changed comes as a delta.
    const two = await stage.start('d2');
    await clock.advanceAsync(1_000);
    await publisher.renew(['demo', 'box'], memory.revision());
    await clock.advanceAsync(1_000);
    way.lead(two.discovery.address.port);
    await publisher.publish('team', 'late', memory.revision());
    await prints('+ team--late--web.apps.test 10.0.0.7:8443');
    expect(out.split('\n').filter((line) => line.startsWith('-'))).toEqual([]);
    expect(await two.metrics.text()).not.toMatch(/^sallyport_discovery_resync_total\{/m);
    await publisher.grant('edge-1', ['team']);
    await prints('- other--box--web.apps.test');
    await publisher.withdraw('team', 'demo');
    await prints('- team--demo--web.apps.test');
    await publisher.grant('edge-1', []);
    await prints('stream: no workspace is left that may be seen');
    expect(out.split('\n').filter((line) => line.startsWith('+'))).toHaveLength(3);
  } finally {
    client.kill('SIGKILL');
    way.close();
  }
});
