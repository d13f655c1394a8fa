import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/**
 * A port that nobody's own end can sit on: outside of the range from which the system takes those of clients. A process that is
 * started again on its port would else now and then find a client there, which had tried to reach it meanwhile.
 */
export async function steadyPort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt += 1) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port from ${FIRST} to ${LAST}`);
}

const TRIES_MAX = 50;
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

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
