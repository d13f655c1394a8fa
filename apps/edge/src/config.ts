import { FOLLOWER_LIMITS } from '@sallyport/catalog';
import { err, ok, parseWorkspaceId, type Result, type WorkspaceId } from '@sallyport/model';
import { type Reader, type Reading, readAll, readProcess, type Source } from '@sallyport/process';
import { NO_CIDRS, parseCidrs } from '@sallyport/proxy';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';

/** Everything that the edge is told at start; see `--help` for each. */
export const readConfig = (source: Source): Reading<Config> => readAll(source, declare, check);

export type Config = ReturnType<typeof declare>;

const declare = (read: Reader) => ({
  process: readProcess(read, { adminPort: 9106 }),
  listen: read.address('edge-listen', 'Where clients come, with TLS; it is passed through.', {
    otherwise: { host: '0.0.0.0', port: 443 },
  }),
  discovery: read.list('discovery', 'Port of a discovery replica; again for each. One of them is followed.', parseTarget, {
    min: 1,
    max: 16,
    placeholder: 'HOST:PORT',
  }),
  credentialFile: read.file('credential-file', 'File with the token for discovery; read again when it changes.'),
  workspaces: read.list('workspace', 'Only these; without it all that the token may see.', parseWorkspace, { max: 64 }),
  discoveryCaFile: read.file(
    'discovery-ca-file',
    'CA of the discovery port, PEM, where its certificate has its host name; without it, it must be a discovery service by the internal CA.',
    { optional: true },
  ),
  tls: {
    caFile: read.file('internal-ca-file', 'CA of the installation, PEM.', { optional: true }),
    certFile: read.file('internal-cert-file', "This edge's own certificate, PEM, where discovery asks for one.", {
      optional: true,
    }),
    keyFile: read.file('internal-key-file', 'Key of that certificate, PEM.', { optional: true }),
  },
  trustDomain: read.text('trust-domain', 'Trust domain of the installation.', { otherwise: 'sallyport.local' }),
  trusted: read.parsed(
    'trusted-cidrs',
    'Balancers whose PROXY header is believed, CIDRs joined by commas.',
    (text) => parseCidrs(text.split(',')),
    { otherwise: NO_CIDRS, placeholder: 'CIDR,…', show: () => '(nobody)' },
  ),
  sendsProxy: read.flag(
    'send-proxy',
    "Tell supervisors the client's address by PROXY protocol v2; each must trust this edge's (--trusted-cidrs there).",
  ),
  limits: limitsOf(read),
  records: {
    recordsMax: read.integer('max-records', 'Records of discovery that are held.', {
      min: 1,
      max: 10_000_000,
      otherwise: FOLLOWER_LIMITS.recordsMax,
    }),
    bytesMax: read.size('max-record-bytes', 'Memory for them, round about.', {
      min: 1_024,
      max: 16 * 1_073_741_824,
      otherwise: FOLLOWER_LIMITS.bytesMax,
    }),
  },
});

const limitsOf = (read: Reader): Limits => {
  const count = (name: string, meaning: string, otherwise: number): number =>
    read.integer(name, meaning, { min: 1, max: 1_000_000, otherwise });
  const time = (name: string, meaning: string, otherwise: number, max = 600_000): number =>
    read.duration(name, meaning, { min: 500, max, otherwise });
  return {
    connectionsMax: count('max-connections', 'Client connections of the process.', DEFAULT_LIMITS.connectionsMax),
    connectionsPerHostMax: count(
      'max-connections-per-host',
      'Client connections of one host.',
      DEFAULT_LIMITS.connectionsPerHostMax,
    ),
    connectionsPerClientMax: count(
      'max-connections-per-client',
      'Client connections of one address.',
      DEFAULT_LIMITS.connectionsPerClientMax,
    ),
    pendingMax: count('max-pending', 'Client connections that are not passed on yet.', DEFAULT_LIMITS.pendingMax),
    pendingPerClientMax: count(
      'max-pending-per-client',
      'Of those, client connections of one address.',
      DEFAULT_LIMITS.pendingPerClientMax,
    ),
    helloMs: time('hello-timeout', 'From the connection to the end of its ClientHello.', DEFAULT_LIMITS.helloMs),
    reachMs: time(
      'reach-timeout',
      'From there until a supervisor is reached: dials, and the wait for a record.',
      DEFAULT_LIMITS.reachMs,
    ),
    dialMs: time('dial-timeout', 'One dial.', DEFAULT_LIMITS.dialMs),
    silenceMs: time('silence-timeout', 'Silence of a connection.', DEFAULT_LIMITS.silenceMs, 86_400_000),
    halfClosedMs: time(
      'half-closed-timeout',
      'Silence of a connection that one side has ended.',
      DEFAULT_LIMITS.halfClosedMs,
      86_400_000,
    ),
    handoverMs: read.duration('handover-grace', 'How long connections may go on to an owner that another has taken over from.', {
      min: 0,
      max: 15_000,
      otherwise: DEFAULT_LIMITS.handoverMs,
    }),
  };
};

function parseTarget(text: string): Result<string, string> {
  return /^[^\s/]+:\d{1,5}$/.test(text) ? ok(text) : err(`${JSON.stringify(text.slice(0, 80))} is not host:port`);
}

function parseWorkspace(text: string): Result<WorkspaceId, string> {
  return parseWorkspaceId(text);
}

function check({ discoveryCaFile, tls: { caFile, certFile, keyFile }, limits }: Config): readonly string[] {
  const problems: string[] = [];
  if (discoveryCaFile === undefined && caFile === undefined)
    problems.push('--internal-ca-file is missing: whose certificate must discovery have? (or --discovery-ca-file)');
  if ((certFile === undefined) !== (keyFile === undefined))
    problems.push('--internal-cert-file and --internal-key-file go together: give both');
  if (limits.dialMs > limits.reachMs) problems.push('--dial-timeout is longer than --reach-timeout, of which it is a part');
  return problems;
}
