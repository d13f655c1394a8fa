import { type Reader, type Reading, readAll, readProcess, type Source } from '@sallyport/process';

/** Everything that the driver is told at start; see `--help` for each. */
export const readConfig = (source: Source): Reading<Config> => readAll(source, declare);

export type Config = ReturnType<typeof declare>;

const declare = (read: Reader) => ({
  process: readProcess(read, { adminPort: 9103 }),
  listen: read.address('driver-listen', 'Where gateways call.', { otherwise: { host: '127.0.0.1', port: 7445 } }),
  staticFile: read.file('static-file', 'Workloads and supervisors of this installation, JSON; read again when it changes.'),
  trustDomain: read.text('trust-domain', 'Trust domain of the installation.', { otherwise: 'sallyport.local' }),
  tls: {
    caFile: read.file('internal-ca-file', 'CA of the installation, PEM.'),
    certFile: read.file('internal-cert-file', "The driver's own certificate, PEM."),
    keyFile: read.file('internal-key-file', 'Key of that certificate, PEM.'),
  },
});
