import { err, ok, type Result } from '@sallyport/model';
import { type Reader, type Reading, readAll, readProcess, type Source } from '@sallyport/process';
import { readStoreSetting } from '@sallyport/view';

/** Everything that a discovery replica is told at start; see `--help` for each. */
export const readConfig = (source: Source): Reading<Config> => readAll(source, declare, check);

export type Config = ReturnType<typeof declare>;

const declare = (read: Reader) => ({
  process: readProcess(read, { adminPort: 9104 }),
  listen: read.address('discovery-listen', 'Where ingresses and the command line ask.', {
    otherwise: { host: '127.0.0.1', port: 7446 },
  }),
  urlPort: read.port('url-port', 'Port in the public URLs; 0: that of the supervisor that serves.', { otherwise: 443 }),
  signingKeys: read.directory('signing-keys', 'Directory of JWK files (*.jwk) that verify tokens; public halves are enough.'),
  store: readStoreSetting(read),
  trustDomain: read.text('trust-domain', 'Trust domain of the installation.', { otherwise: 'sallyport.local' }),
  jwt: {
    jwksFile: read.file('jwt-jwks-file', 'Public keys of another issuer of tokens for readers, a JSON Web Key Set.', {
      optional: true,
    }),
    jwksUrl: read.parsed('jwt-jwks-url', 'The same at a URL; https, but for loopback.', parseJwksUrl, {
      optional: true,
      placeholder: 'URL',
    }),
    issuer: read.text('jwt-issuer', 'Whom these tokens must name as their issuer.', { optional: true }),
    audience: read.text('jwt-audience', 'Audience that they must be for.', { otherwise: 'sallyport-discovery' }),
    workspacesClaim: read.text('jwt-workspaces-claim', 'Their claim with a list of workspaces; without it the grant decides.', {
      otherwise: 'workspaces',
    }),
    principalPrefix: read.text('jwt-principal-prefix', 'Stands before their subject in grants, such as "oidc:".', {
      optional: true,
    }),
  },
  grantsDirectory: read.directory(
    'grants-dir',
    'Directory with grants.json: what readers may see, beside the grants of the store.',
    {
      optional: true,
    },
  ),
  limits: {
    streamsMax: read.integer('max-streams-per-reader', 'Watches that one principal may have open.', {
      min: 1,
      max: 100_000,
      otherwise: 64,
    }),
    opensPerSecondMax: read.integer(
      'max-opens-per-second',
      'Watches and snapshots that one principal may begin each second; twice as many at once.',
      { min: 1, max: 10_000, otherwise: 20 },
    ),
    backlogBytesMax: read.size('max-backlog', 'What one slow reader may have waiting before it must begin anew.', {
      min: 65_536,
      max: 1_073_741_824,
      otherwise: 4_194_304,
    }),
  },
  tls: {
    caFile: read.file('internal-ca-file', 'CA of the installation, PEM.'),
    certFile: read.file('internal-cert-file', "This replica's own certificate, PEM."),
    keyFile: read.file('internal-key-file', 'Key of that certificate, PEM.'),
  },
  listenTls: {
    certFile: read.file('discovery-cert-file', 'Certificate for the discovery port, PEM; without it the internal one.', {
      optional: true,
    }),
    keyFile: read.file('discovery-key-file', 'Key of that certificate, PEM.', { optional: true }),
  },
});

function check({ listenTls: { certFile, keyFile }, jwt }: Config): readonly string[] {
  const problems: string[] = [];
  if ((certFile === undefined) !== (keyFile === undefined))
    problems.push('--discovery-cert-file and --discovery-key-file belong together: give both or neither');
  if (jwt.jwksFile !== undefined && jwt.jwksUrl !== undefined)
    problems.push('--jwt-jwks-file and --jwt-jwks-url: give one of them');
  if ((jwt.jwksFile ?? jwt.jwksUrl) !== undefined && jwt.issuer === undefined)
    problems.push('--jwt-issuer: is missing; whose tokens do these keys verify?');
  return problems;
}

/** Keys that come in the clear are anybody's. */
function parseJwksUrl(text: string): Result<URL, string> {
  const url = URL.parse(text);
  if (url === null) return err('is not a URL');
  const isLoopback = url.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  return url.protocol === 'https:' || isLoopback ? ok(url) : err('is not https');
}
