import { connect } from 'node:net';
import type { WantedService } from './service-option.ts';

/** How long an application may take to accept a connection on loopback; milliseconds. */
const DIAL_MS = 1_000;

/** Which of the services nothing listens for now, on neither loopback address. */
export async function findUnreachable(services: readonly WantedService[]): Promise<readonly WantedService[]> {
  const reachable = await Promise.all(
    services.map(async ({ port }) => (await accepts('127.0.0.1', port)) || accepts('::1', port)),
  );
  return services.filter((_service, index) => !reachable[index]);
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: DIAL_MS });
    const done = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => done(true));
    socket.once('timeout', () => done(false));
    socket.once('error', () => done(false));
  });
}
