import { type Reader, type Reading, readAll, readProcess, type Source } from '@sallyport/process';
import { readKubernetes } from './kubernetes-options.ts';

/** Everything that the driver is told at start; see `--help` for each. */
export const readConfig = (source: Source): Reading<Config> => readAll(source, declare, check);

export type Config = ReturnType<typeof declare>;

const declare = (read: Reader) => ({
  process: readProcess(read, { adminPort: 9103 }),
  listen: read.address('driver-listen', 'Where gateways call.', { otherwise: { host: '127.0.0.1', port: 7445 } }),
  backend: read.choice('backend', 'What is observed.', ['static', 'kubernetes'] as const, { otherwise: 'static' }),
  staticFile: read.file('static-file', 'Workloads and supervisors of this installation, JSON; read again when it changes.', {
    optional: true,
  }),
  kubernetes: readKubernetes(read),
  trustDomain: read.text('trust-domain', 'Trust domain of the installation.', { otherwise: 'sallyport.local' }),
  tls: {
    caFile: read.file('internal-ca-file', 'CA of the installation, PEM.'),
    certFile: read.file('internal-cert-file', "The driver's own certificate, PEM."),
    keyFile: read.file('internal-key-file', 'Key of that certificate, PEM.'),
  },
});

function check({ backend, staticFile, kubernetes }: Config): readonly string[] {
  if (backend === 'static') return staticFile === undefined ? ['--backend static needs --static-file'] : [];
  const problems: string[] = [];
  if (staticFile !== undefined) problems.push('--static-file is for --backend static');
  if (kubernetes.context !== undefined && kubernetes.kubeconfig === undefined) problems.push('--kube-context needs --kubeconfig');
  return problems;
}
