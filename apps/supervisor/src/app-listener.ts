import { type Address, CannotStart, cannotListen, type Process } from '@sallyport/process';
import {
  type CidrSet,
  type ExchangeRecord,
  type Instances,
  type Limits,
  type Listener,
  listenForApps,
  watchCertificates,
} from '@sallyport/proxy';
import type { ExchangeMetrics } from './observe.ts';

/** Names of options. */
export interface ListenSettings {
  readonly host: string;
  readonly port: string;
}

const OWN_SETTINGS: ListenSettings = { host: 'app-listen', port: 'app-listen' };

export interface AppListenerOptions {
  readonly address: Address;
  readonly certFile: string;
  readonly keyFile: string;
  readonly clientCaFile?: string | undefined;
  readonly limits: Limits;
  readonly trusted: CidrSet;
  readonly instances: Instances;
  readonly exchanges: ExchangeMetrics;
  /** Each ended exchange, beside the log and the metrics. */
  readonly observe?: ((record: ExchangeRecord) => void) | undefined;
  /** What the address is called where people set it; for the message when it cannot be had. */
  readonly settings?: ListenSettings | undefined;
}

export interface AppListener extends Listener {
  /** Stops watching the certificate's files. */
  stop(): void;
}

/** The listener for applications as a supervisor runs it: watched certificates, metrics, one line of log for each exchange. */
export async function openAppListener(options: AppListenerOptions, process: Process): Promise<AppListener> {
  const { address, certFile, keyFile, clientCaFile, limits, trusted, instances, exchanges, observe } = options;
  const { clock, log } = process;
  const watched = await watchCertificates({
    pairs: [{ certFile, keyFile }],
    ...(clientCaFile === undefined ? {} : { clientCaFile }),
    clock,
    onProblem: (problem) => log.error({ problem }, 'application certificate not taken: the old one stays'),
    onSwapped: () => log.info('application certificate taken'),
  });
  if (!watched.ok) throw new CannotStart(`${watched.error}; give the PEM files of one certificate and its key`);
  const certificates = watched.value;
  process.metrics.observed(
    'sallyport_proxy_certificate_left_seconds',
    'For how long the certificate for applications is still good; negative: it has expired.',
    () => Math.min(...certificates.inUse().map(({ expiresAt }) => expiresAt.getTime() - Date.now())) / 1_000,
  );
  try {
    const listener = await listenForApps({
      address: address.host,
      port: address.port,
      certificates,
      instances,
      limits,
      trusted,
      clock,
      onExchange: (record) => {
        exchanges.exchange(record);
        observe?.(record);
        log.info({ ...record }, 'exchange');
      },
      onConnection: (event) => exchanges.connection(event),
    });
    return { ...listener, stop: () => certificates.stop() };
  } catch (error) {
    certificates.stop();
    const { host, port } = options.settings ?? OWN_SETTINGS;
    throw cannotListen(error as Error, address, port, host);
  }
}
