import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { createStage } from './testing/stage.ts';

const stage = await createStage();
afterAll(() => stage.close());
const script = fileURLToPath(new URL('../../../docs/examples/discovery-client.mjs', import.meta.url));

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
  const client = spawn(process.execPath, [script, `127.0.0.1:${one.discovery.address.port}`, authority.caFile, tokenFile]);
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
    await publisher.grant('edge-1', ['team']);
    await prints('- other--box--web.apps.test');
    await publisher.withdraw('team', 'demo');
    await prints('- team--demo--web.apps.test');
    await publisher.grant('edge-1', []);
    await prints('stream: no workspace is left that may be seen');
    expect(out.split('\n').filter((line) => line.startsWith('+'))).toHaveLength(2);
  } finally {
    client.kill('SIGKILL');
  }
});
