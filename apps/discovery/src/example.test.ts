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
const fileOf = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const script = fileOf('docs/examples/discovery-client.mjs');
const proto = fileOf('proto/sallyport/discovery/v1/discovery.proto');

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
  const client = spawn(process.execPath, [script, `127.0.0.1:${way.port}`, authority.caFile, tokenFile, proto]);
  let out = '';
  let errors = '';
  let news = (): void => undefined;
  client.stdout.on('data', (bytes: Buffer) => {
    out += String(bytes);
    news();
  });
  client.stderr.on('data', (bytes: Buffer) => {
    errors += String(bytes);
    news();
  });
  /** All that it said might be dialled, one list after the other. */
  const lists = (): string[] => out.split(/(?<=^|\n)\n/).slice(0, -1);
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) {
      if (client.exitCode !== null) throw new Error(errors);
      await new Promise<void>((resolve) => {
        news = resolve;
      });
    }
  };
  const shows = (...sandboxes: readonly string[]): Promise<void> => {
    const list = sandboxes.map((sandbox) => `${sandbox}--web.apps.test 10.0.0.7:8443\n`).join('');
    return until(() => lists().at(-1) === list);
  };
  try {
    await shows('team--demo');
    await publisher.publish('other', 'box', memory.revision());
    await shows('other--box', 'team--demo');
    // The way to this replica is lost, and leads to another: what is held is used meanwhile, what changed comes as a delta.
    const two = await stage.start('d2');
    await clock.advanceAsync(1_000);
    await publisher.renew(['demo', 'box'], memory.revision());
    await clock.advanceAsync(1_000);
    way.lead(two.discovery.address.port);
    await publisher.publish('team', 'late', memory.revision());
    await shows('other--box', 'team--demo', 'team--late');
    expect(await two.metrics.text()).not.toMatch(/^sallyport_discovery_resync_total\{/m);
    await publisher.grant('edge-1', ['team']);
    await shows('team--demo', 'team--late');
    await publisher.withdraw('team', 'demo');
    await shows('team--late');
    await publisher.grant('edge-1', []);
    await shows();
    await until(() => errors.includes('no workspace is left that may be seen'));
    // Nothing came or went but what was done here.
    expect(lists()).toHaveLength(6);
  } finally {
    client.kill('SIGKILL');
    way.close();
  }
});
