import { err, isId, ok, type PoolId, parseDomain, type Result } from '@sallyport/model';
import { type Reader, type Reading, readAll, readProcess, type Source } from '@sallyport/process';
import { readStoreSetting } from '@sallyport/view';

/** Everything that a gateway is told at start; see `--help` for each. */
export const readConfig = (source: Source): Reading<Config> => readAll(source, declare);

export type Config = ReturnType<typeof declare>;

const declare = (read: Reader) => ({
  process: readProcess(read, { adminPort: 9102 }),
  operatorListen: read.address('operator-listen', 'where operators and the command line call', {
    otherwise: { host: '127.0.0.1', port: 7443 },
  }),
  supervisorListen: read.address('supervisor-listen', 'where supervisors call', { otherwise: { host: '127.0.0.1', port: 7444 } }),
  domain: read.parsed('domain', 'domain under which applications are served', parseDomain),
  urlPort: read.port('url-port', 'port in the public URLs; 0: that of the supervisor that serves', { otherwise: 443 }),
  defaultPool: read.parsed(
    'default-pool',
    'pool of shared supervisors for sandboxes that are registered without saying which',
    parsePool,
    {
      optional: true,
      placeholder: 'ID',
    },
  ),
  driver: read.hostPort('driver', 'the driver to ask about workloads'),
  followWorkloads: read.flag(
    'follow-workloads',
    'register sandboxes and declare services as workloads themselves say (labels and annotations of Pods)',
  ),
  signingKeys: read.directory('signing-keys', 'directory of JWK files (*.jwk) that sign and verify tokens'),
  store: readStoreSetting(read),
  trustDomain: read.text('trust-domain', 'trust domain of the installation', { otherwise: 'sallyport.local' }),
  tls: {
    caFile: read.file('internal-ca-file', 'CA of the installation, PEM'),
    certFile: read.file('internal-cert-file', "this gateway's own certificate, PEM"),
    keyFile: read.file('internal-key-file', 'key of that certificate, PEM'),
  },
  operatorTls: {
    certFile: read.file('operator-cert-file', 'certificate for the operator port, PEM; without it the internal one', {
      optional: true,
    }),
    keyFile: read.file('operator-key-file', 'key of that certificate, PEM', { optional: true }),
  },
});

const parsePool = (text: string): Result<PoolId, string> =>
  isId(text)
    ? ok(text as PoolId)
    : err(`${JSON.stringify(text.slice(0, 80))} is no pool id: letters, digits and . _ : - only, at most 128`);
