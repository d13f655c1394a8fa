import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostNames, InstallationFiles } from './installation-files.ts';

export interface Release {
  readonly name: string;
  readonly namespace: string;
}

interface KubernetesObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret' | 'ConfigMap';
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Readonly<Record<string, string>> };
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** The names under which the chart's Services are reached, for the certificates that people's clients check by name. */
export function serviceNames({ name, namespace }: Release): HostNames {
  const of = (app: string): readonly string[] => {
    const service = `${name}-${app}`;
    return [
      service,
      `${service}.${namespace}`,
      `${service}.${namespace}.svc`,
      `${service}.${namespace}.svc.cluster.local`,
      'localhost',
    ];
  };
  return { gateway: of('gateway'), discovery: of('discovery') };
}

/** The Secrets and the ConfigMap that the chart expects by default, for `kubectl apply -f -`. */
export async function manifestOf(
  { name, namespace }: Release,
  files: Pick<InstallationFiles, 'signingKeys' | 'verifyKeys'> & Partial<InstallationFiles>,
): Promise<object> {
  const metadata = (what: string) => ({
    name: `${name}-${what}`,
    namespace,
    labels: { 'app.kubernetes.io/part-of': 'sallyport', 'app.kubernetes.io/instance': name },
  });
  const items: KubernetesObject[] = [];
  for (const { app, certFile, keyFile } of files.certificates ?? []) {
    const data = {
      'ca.crt': await base64(files.caFile as string),
      'tls.crt': await base64(certFile),
      'tls.key': await base64(keyFile),
    };
    items.push({ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata: metadata(`${app}-internal`), data });
  }
  if (files.apps !== undefined) {
    const data = { 'tls.crt': await base64(files.apps.certFile), 'tls.key': await base64(files.apps.keyFile) };
    items.push({ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata: metadata('apps'), data });
  }
  items.push({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: metadata('signing-keys'),
    data: await folder(files.signingKeys, 'base64'),
  });
  items.push({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata('verify-keys'),
    data: await folder(files.verifyKeys, 'utf8'),
  });
  return { apiVersion: 'v1', kind: 'List', items };
}

const base64 = async (file: string): Promise<string> => (await readFile(file)).toString('base64');

async function folder(path: string, encoding: 'base64' | 'utf8'): Promise<Record<string, string>> {
  const names = (await readdir(path)).filter((name) => name.endsWith('.jwk')).sort();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, (await readFile(join(path, name))).toString(encoding)])),
  );
}
