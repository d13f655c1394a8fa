import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { err, ok, type Result } from '@sallyport/model';
import { type Access, inFile } from './access.ts';

/** Where Kubernetes puts what a Pod needs to call its API server. */
const ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

/** From the environment that every container of a Pod gets. The files are opened later. */
export function inClusterAccess(
  env: Readonly<Record<string, string | undefined>>,
  directory = ACCOUNT_DIRECTORY,
): Result<Access, string> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (host === undefined || port === undefined || host === '' || port === '')
    return err('this process is in no Kubernetes Pod (KUBERNETES_SERVICE_HOST is not set); give --kubeconfig');
  return ok({
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    ca: inFile(join(directory, 'ca.crt')),
    token: inFile(join(directory, 'token')),
    client: undefined,
    serverName: undefined,
  });
}
