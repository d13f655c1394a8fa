import { type Reader, type Reading, readAll, readProcess, type Source } from '@sallyport/process';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';

/** Everything that the boundary is told at start; see `--help` for each. Which runtime it stands in, its certificate says. */
export const readConfig = (source: Source): Reading<Config> => readAll(source, declare);

export type Config = ReturnType<typeof declare>;

const declare = (read: Reader) => ({
  process: readProcess(read, { adminPort: 9107 }),
  listen: read.address('boundary-listen', 'Where supervisors reach the application of this sandbox, over mutual TLS.', {
    otherwise: { host: '0.0.0.0', port: 9443 },
  }),
  verifyKeys: read.directory('verify-keys', 'Directory of JWK files (*.jwk): public halves of the keys that gateways sign with.'),
  trustDomain: read.text('trust-domain', 'Trust domain of the installation.', { otherwise: 'sallyport.local' }),
  tls: {
    caFile: read.file('internal-ca-file', 'CA of the installation, PEM.'),
    certFile: read.file(
      'internal-cert-file',
      "The boundary's own certificate, PEM: spiffe://<trust domain>/boundary/<runtime id>.",
    ),
    keyFile: read.file('internal-key-file', 'Key of that certificate, PEM.'),
  },
  limits: limitsOf(read),
});

const limitsOf = (read: Reader): Limits => ({
  connectionsMax: read.integer('max-connections', 'TLS connections of supervisors.', {
    min: 1,
    max: 1_000_000,
    otherwise: DEFAULT_LIMITS.connectionsMax,
  }),
  channelsMax: read.integer('max-channels', 'Open ways to the application.', {
    min: 1,
    max: 1_000_000,
    otherwise: DEFAULT_LIMITS.channelsMax,
  }),
  headBytesMax: read.size('max-head-bytes', "Size of a request's head; tokens have up to 8 KiB.", {
    min: 10 * 1_024,
    max: 1_048_576,
    otherwise: DEFAULT_LIMITS.headBytesMax,
  }),
  handshakeMs: read.duration('handshake-timeout', 'From the connection to the end of the TLS handshake.', {
    min: 1_000,
    max: 600_000,
    otherwise: DEFAULT_LIMITS.handshakeMs,
  }),
  requestMs: read.duration('request-timeout', 'From the first byte of a request to its end.', {
    min: 1_000,
    max: 600_000,
    otherwise: DEFAULT_LIMITS.requestMs,
  }),
  idleMs: read.duration('idle-timeout', 'Between two requests of a connection.', {
    min: 1_000,
    max: 3_600_000,
    otherwise: DEFAULT_LIMITS.idleMs,
  }),
  dialMs: read.duration('dial-timeout', 'One attempt to connect to the application.', {
    min: 100,
    max: 600_000,
    otherwise: DEFAULT_LIMITS.dialMs,
  }),
  channelSilenceMs: read.duration('channel-silence-timeout', 'Silence of an open way to the application.', {
    min: 1_000,
    max: 86_400_000,
    otherwise: DEFAULT_LIMITS.channelSilenceMs,
  }),
});
