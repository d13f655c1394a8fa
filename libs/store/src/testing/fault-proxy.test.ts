import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFaultProxy, type FaultProxy } from './fault-proxy.ts';

describe('the proxy with faults', () => {
  let echo: Server;
  let proxy: FaultProxy;
  beforeEach(async () => {
    echo = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await createFaultProxy({ target: { port: (echo.address() as AddressInfo).port } });
  });
  afterEach(async () => {
    await proxy.close();
    echo.close();
  });
  const open = async (): Promise<{ socket: Socket; text: () => string }> => {
    const socket = connect(proxy.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString();
    });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return { socket, text: () => received };
  };
  const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  test('passes bytes and ends both ways', async () => {
    const { socket, text } = await open();
    socket.end('hello');
    await once(socket, 'close');
    expect(text()).toBe('hello');
  });
  test.each([true, 'to-target', 'from-target'] as const)('holds (%s) and afterwards delivers in order', async (direction) => {
    const { socket, text } = await open();
    proxy.blackhole(direction);
    for (const part of ['a', 'b', 'c']) {
      socket.write(part);
      await pass(5);
    }
    await expect.poll(() => proxy.heldBytes()).toBeGreaterThan(0);
    expect(text()).toBe('');
    proxy.blackhole(false);
    await expect.poll(() => text()).toBe('abc');
    socket.destroy();
  });
  test('what was held when it was cut is lost', async () => {
    const { socket, text } = await open();
    proxy.blackhole(true);
    socket.write('lost');
    await expect.poll(() => proxy.heldBytes()).toBe(4);
    proxy.cut();
    await expect.poll(() => socket.closed).toBe(true);
    proxy.blackhole(false);
    expect(text()).toBe('');
    expect(proxy.connectionCount()).toBe(0);
  });
  test('delays each chunk', async () => {
    const { socket, text } = await open();
    proxy.delay(60);
    const startedAt = performance.now();
    socket.write('slow');
    await expect.poll(() => text()).toBe('slow');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(119);
    socket.destroy();
  });
  test('refuses new connections and keeps those that are there', async () => {
    const { socket, text } = await open();
    await proxy.refuse(true);
    await expect(open()).rejects.toThrow(/ECONNREFUSED/);
    socket.write('still');
    await expect.poll(() => text()).toBe('still');
    await proxy.refuse(false);
    (await open()).socket.destroy();
    socket.destroy();
  });
});
