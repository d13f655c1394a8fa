import { createServer } from 'node:net';
import { type Address, accepts, CannotStart, cannotListen } from '@sallyport/process';
import type { Config } from '../config.ts';
import { LISTEN_SETTINGS } from '../stack.ts';

/** How long an etcd may take to accept a connection; milliseconds. */
const DIAL_MS = 2_000;

/**
 * What would only show when the process that needs it comes up, a dozen processes later and in the words of its own options:
 * ports of the URLs that are in use, an etcd that is not there.
 */
export async function checkBeforehand(config: Config): Promise<void> {
  for (const address of listensOf(config)) await checkFree(address);
  if (config.store.length > 0 && !(await anyAccepts(config.store)))
    throw new CannotStart(`no etcd answers at ${config.store.join(', ')}: start it, or correct --store`);
}

/** Where people's URLs may lead: the edges, else the supervisors. */
function listensOf({ port, listen: host, edges, members, mode, services }: Config): readonly Address[] {
  const sandboxes = new Set(services.map(({ ref }) => `${ref.workspace}/${ref.sandbox}`)).size || 1;
  const count = edges > 0 ? edges : mode === 'shared' ? members : sandboxes;
  return port === 0 ? [] : Array.from({ length: count }, (_, index) => ({ host, port: port + index }));
}

function checkFree(address: Address): Promise<void> {
  const { host, port } = LISTEN_SETTINGS;
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, address, port, host)));
    server.listen(address, () => server.close(() => resolve()));
  });
}

const anyAccepts = async (endpoints: readonly string[]): Promise<boolean> =>
  (await Promise.all(endpoints.map(etcdAccepts))).includes(true);

function etcdAccepts(endpoint: string): Promise<boolean> {
  const { hostname, port } = new URL(`http://${endpoint}`);
  return accepts(hostname.replace(/^\[(.*)\]$/, '$1'), Number(port || 80), DIAL_MS);
}
