import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type Config, readConfig } from '../config.ts';
import { checkBeforehand } from './preconditions.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A port of loopback that somebody listens on. */
async function taken(): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function configOf(...args: string[]): Config {
  const reading = readConfig({ env: {}, args: ['--processes', ...args] });
  if (reading.kind !== 'read') throw new Error(JSON.stringify(reading));
  return reading.config;
}

describe('before any process of a fleet is started', () => {
  test('a port of the URLs that is in use is told by its own option', async () => {
    const port = await taken();
    const told = `cannot listen on 127.0.0.1:${port}: the port is in use; end the process that has it, or choose another with --port`;
    await expect(checkBeforehand(configOf(`--port=${port}`))).rejects.toThrow(told);
    await expect(checkBeforehand(configOf(`--port=${port}`, '--edges=1', '--members=3'))).rejects.toThrow(told);
    // The next ports are taken too.
    await expect(checkBeforehand(configOf(`--port=${port - 1}`, '--members=2'))).rejects.toThrow(/the port is in use/);
  });

  test('an address of another machine is told by its own option', () =>
    expect(checkBeforehand(configOf('--listen=192.0.2.1'))).rejects.toThrow(/choose another with --listen$/));

  test('an etcd that is not there', async () => {
    const [there, gone] = [await taken(), await taken()];
    servers.pop()?.close();
    const at = `etcd://127.0.0.1:${gone}`;
    await expect(checkBeforehand(configOf('--port=0', `--store=${at}`))).rejects.toThrow(
      `no etcd answers at 127.0.0.1:${gone}: start it, or correct --store`,
    );
    await checkBeforehand(configOf('--port=0', `--store=${at},127.0.0.1:${there}`));
  });

  test('nothing is asked of free ports and of an etcd of its own', () => checkBeforehand(configOf('--port=0', '--members=2')));
});
