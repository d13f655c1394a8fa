import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';

/**
 * So many different loopback ports that nothing listens on now; all held at once, so that none comes twice. Outside of the range
 * from which the system takes those of clients: a server that is started there, or started again, would else now and then find
 * a client on its port, perhaps the very one that had tried to reach it meanwhile.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers = new Map<number, Server>();
  for (let tries = 0; servers.size < count; tries += 1) {
    if (tries === count + TRIES_MAX) throw new Error(`no ${count} free ports from ${FIRST} to ${LAST}`);
    const port = FIRST + Math.floor(Math.random() * (LAST + 1 - FIRST));
    const server = servers.has(port) ? undefined : await hold(port);
    if (server !== undefined) servers.set(port, server);
  }
  await Promise.all([...servers.values()].map(release));
  return [...servers.keys()];
}

const TRIES_MAX = 100;
const FIRST = 20_000;
const LAST = firstOfClients() - 1;

/** Linux says where it begins; elsewhere it is above this by far. */
function firstOfClients(): number {
  try {
    return Math.max(FIRST + 1_000, Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10));
  } catch {
    return 32_768;
  }
}

const hold = (port: number): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });

const release = (server: Server): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));
