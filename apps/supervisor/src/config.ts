import { err, isId, ok, type PoolId, parseDomain, type Result } from '@sallyport/model';
import { type Reader, type Reading, readAll, readProcess, type Source } from '@sallyport/process';
import { DEFAULT_LIMITS, type Limits, NO_CIDRS, parseCidrs } from '@sallyport/proxy';
import { openCredential } from './credential.ts';

const id =
  <T>(what: string) =>
  (text: string): Result<T, string> =>
    isId(text)
      ? ok(text as T)
      : err(`${JSON.stringify(text.slice(0, 80))} is no ${what}: letters, digits and . _ : - only, at most 128`);

/** Everything that the supervisor is told at start; see `--help` for each. */
export const readConfig = (source: Source): Reading<Config> => readAll(source, declare, check);

export type Config = ReturnType<typeof declare>;

const declare = (read: Reader) => ({
  process: readProcess(read, { adminPort: 9101 }),
  gateways: read.list('gateway', 'supervisor port of a gateway, host:port; repeat for each replica', parseText, {
    min: 1,
    max: 16,
    placeholder: 'HOST:PORT',
  }),
  pool: read.parsed('pool', 'pool to join; of a dedicated supervisor the pool of its sandbox', id<PoolId>('pool id')),
  capacity: read.integer('capacity', 'sandboxes that this supervisor may own at once', { min: 1, max: 100_000, otherwise: 1 }),
  credential: read.parsed(
    'credential-file',
    'file with the token that proves this supervisor; read again for each use',
    openCredential,
    {
      placeholder: 'FILE',
    },
  ),
  delivery: read.choice('delivery', 'how configuration travels', ['push', 'poll'] as const, { otherwise: 'push' }),
  tls: {
    caFile: read.file('internal-ca-file', 'CA of the installation, PEM'),
    certFile: read.file('internal-cert-file', "this supervisor's own certificate for the gateway, PEM"),
    keyFile: read.file('internal-key-file', 'key of that certificate, PEM'),
  },
  trustDomain: read.text('trust-domain', 'trust domain of the installation', { otherwise: 'sallyport.local' }),
  listen: read.address('app-listen', 'address of the application listener; without it there is none', { optional: true }),
  domain: read.parsed('domain', 'domain under which applications are served', parseDomain, { optional: true }),
  appTls: {
    certFile: read.file('app-cert-file', 'certificate for applications, PEM; watched', { optional: true }),
    keyFile: read.file('app-key-file', 'key of that certificate, PEM; watched', { optional: true }),
    clientCaFile: read.file('app-client-ca-file', 'require clients (a trusted ingress) to have a certificate of this CA, PEM', {
      optional: true,
    }),
  },
  trusted: read.parsed(
    'trusted-cidrs',
    'peers whose PROXY header and X-Forwarded-For are believed, CIDRs joined by commas',
    (text) => parseCidrs(text.split(',')),
    {
      otherwise: NO_CIDRS,
      placeholder: 'CIDR,…',
      show: () => '(nobody)',
    },
  ),
  limits: limitsOf(read),
});

const parseText = (text: string): Result<string, string> =>
  /^[^\s/]+:\d{1,5}$/.test(text) ? ok(text) : err(`${JSON.stringify(text.slice(0, 80))} is not host:port`);

const limitsOf = (read: Reader): Limits => ({
  ...DEFAULT_LIMITS,
  connectionsMax: read.integer('max-connections', 'client connections of the process', {
    min: 1,
    max: 1_000_000,
    otherwise: DEFAULT_LIMITS.connectionsMax,
  }),
  connectionsPerInstanceMax: read.integer('max-connections-per-instance', 'client connections of one sandbox', {
    min: 1,
    max: 1_000_000,
    otherwise: DEFAULT_LIMITS.connectionsPerInstanceMax,
  }),
  connectionsPerClientMax: read.integer('max-connections-per-client', 'client connections of one address', {
    min: 1,
    max: 1_000_000,
    otherwise: DEFAULT_LIMITS.connectionsPerClientMax,
  }),
  streamsPerRouteMax: read.integer('max-streams-per-route', 'live exchanges and tunnels of one route', {
    min: 1,
    max: 1_000_000,
    otherwise: DEFAULT_LIMITS.streamsPerRouteMax,
  }),
  headFieldsMax: read.integer('max-head-fields', 'fields of a head', {
    min: 16,
    max: 1_000,
    otherwise: DEFAULT_LIMITS.headFieldsMax,
  }),
  headBytesMax: read.size('max-head-bytes', 'size of a head', {
    min: 4_096,
    max: 1_048_576,
    otherwise: DEFAULT_LIMITS.headBytesMax,
  }),
  handshakeMs: read.duration('handshake-timeout', 'from the connection to the end of the TLS handshake', {
    min: 1_000,
    max: 600_000,
    otherwise: DEFAULT_LIMITS.handshakeMs,
  }),
  headMs: read.duration('head-timeout', 'from the first byte of a request to the end of its head', {
    min: 1_000,
    max: 600_000,
    otherwise: DEFAULT_LIMITS.headMs,
  }),
  idleMs: read.duration('idle-timeout', 'between two requests of a connection', {
    min: 1_000,
    max: 3_600_000,
    otherwise: DEFAULT_LIMITS.idleMs,
  }),
  firstByteMs: read.duration('first-byte-timeout', 'until the application begins to answer', {
    min: 1_000,
    max: 86_400_000,
    otherwise: DEFAULT_LIMITS.firstByteMs,
  }),
  streamSilenceMs: read.duration('stream-silence-timeout', 'silence of a response that has begun', {
    min: 1_000,
    max: 86_400_000,
    otherwise: DEFAULT_LIMITS.streamSilenceMs,
  }),
  tunnelSilenceMs: read.duration('tunnel-silence-timeout', 'silence of a WebSocket', {
    min: 1_000,
    max: 86_400_000,
    otherwise: DEFAULT_LIMITS.tunnelSilenceMs,
  }),
});

/** The listener is off unless it is asked for, and then needs all of it. */
function check(config: Config): readonly string[] {
  const { listen, domain, appTls } = config;
  if (listen === undefined) return [];
  const problems: string[] = [];
  if (domain === undefined) problems.push('--app-listen needs --domain: the domain under which applications are served');
  if (appTls.certFile === undefined) problems.push('--app-listen needs --app-cert-file: a certificate for *.<domain>');
  if (appTls.keyFile === undefined) problems.push('--app-listen needs --app-key-file: the key of that certificate');
  return problems;
}
