import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePorts } from './free-ports.ts';

const RANGE = '/proc/sys/net/ipv4/ip_local_port_range';
/** Some must be left, however many the system keeps for clients. */
const OURS_MIN = 21_000;

test('as many as wanted, none twice, and each can be listened on', async () => {
  const ports = await freePorts(30);
  expect(new Set(ports).size).toBe(30);
  const servers = ports.map((port) => createServer().listen(port, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  for (const server of servers) server.close();
});

test.skipIf(!existsSync(RANGE))('none that the system would give to a client meanwhile', async () => {
  const [first = 0, last = 0] = readFileSync(RANGE, 'utf8').trim().split(/\s+/).map(Number);
  const ports = await freePorts(30);
  expect(ports.filter((port) => port >= Math.max(first, OURS_MIN) && port <= last)).toEqual([]);
});
