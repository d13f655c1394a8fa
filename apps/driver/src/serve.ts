import { type Address, CannotStart, cannotListen, createRefusals, type Process, type Running } from '@sallyport/process';
import { listen, openTlsFiles, type TlsFiles } from '@sallyport/wire';
import type { Driver } from './driver.ts';
import { driverServices } from './service.ts';

/** A driver that gateways can call. */
export interface DriverServer extends Running {
  /** As bound. */
  readonly address: Address;
}

/** Calls still open when the process must end are short: they get this much time. */
const CLOSE_MS = 1_000;

/** Serves any driver to gateways over mutual TLS. The dev stack calls this with a driver of its own. */
export async function serveDriver(
  driver: Driver,
  { listen: address, tls, trustDomain }: { readonly listen: Address; readonly tls: TlsFiles; readonly trustDomain: string },
  { log, metrics, stopping }: Pick<Process, 'log' | 'metrics' | 'stopping'>,
): Promise<DriverServer> {
  const files = await openTlsFiles(tls, {
    onChange: (problem) =>
      problem === undefined
        ? log.info('internal certificates taken')
        : log.error({ problem }, 'internal certificates not taken: the old ones stay'),
  });
  if (!files.ok) throw new CannotStart(files.error);
  const closing = new AbortController();
  const server = await listen({
    address,
    tls: files.value,
    trustDomain,
    clients: { kind: 'certificate', apps: ['gateway'] },
    services: driverServices(driver, AbortSignal.any([stopping, closing.signal])),
    onFault: (path, error) => log.error({ path, err: error }, 'a call failed unexpectedly'),
    onRefused: createRefusals('driver', metrics, log),
  }).catch((error: Error) => {
    files.value.close();
    throw cannotListen(error, address, 'driver-listen');
  });
  log.info({ address: server.address.host, port: server.address.port }, 'driver listens');
  return {
    address: server.address,
    listens: { driver: server.address },
    ready: () => {
      const problem = files.value.problem();
      return [
        { name: 'certificates', ok: true, detail: problem === undefined ? 'in use' : `the old ones are in use: ${problem}` },
      ];
    },
    async drain(deadline) {
      closing.abort();
      await server.close(deadline.aborted ? 0 : CLOSE_MS);
      files.value.close();
    },
  };
}
