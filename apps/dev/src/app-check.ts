import { accepts } from '@sallyport/process';
import type { WantedService } from './service-option.ts';

/** How long an application may take to accept a connection on loopback; milliseconds. */
const DIAL_MS = 1_000;

/** Which of the services nothing listens for now, on neither loopback address. */
export async function findUnreachable(services: readonly WantedService[]): Promise<readonly WantedService[]> {
  const reachable = await Promise.all(
    services.map(async ({ port }) => (await accepts('127.0.0.1', port, DIAL_MS)) || accepts('::1', port, DIAL_MS)),
  );
  return services.filter((_service, index) => !reachable[index]);
}
