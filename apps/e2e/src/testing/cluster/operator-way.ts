import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Link, openLink, openSigningKeys, openTlsFiles, signOperatorToken } from '@sallyport/wire';
import type { Cluster } from './cluster.ts';
import { type Credentials, TRUST_DOMAIN } from './credentials.ts';
import type { RunningPod } from './plan.ts';

/** As an admin of the installation, to any port of its that people may call. */
export interface OperatorWay {
  readonly bearer: string;
  link(pod: RunningPod, app: 'gateway' | 'discovery', port: number): Promise<Link>;
  close(): Promise<void>;
}

const TOKEN_MS = 3_600_000;

export async function openOperatorWay(cluster: Cluster, credentials: Credentials): Promise<OperatorWay> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-operator-'));
  const caFile = join(folder, 'ca.crt');
  await writeFile(caFile, credentials.internalCa);
  await writeFile(join(folder, '1.jwk'), credentials.signing['1.jwk'] ?? '', { mode: 0o600 });
  const trust = await openTlsFiles({ caFile });
  const keys = await openSigningKeys(folder);
  if (!trust.ok || !keys.ok) throw new Error('the operator has no keys');
  const bearer = await signOperatorToken(keys.value, { principal: 'e2e', role: { kind: 'admin' } }, TOKEN_MS);
  const links: Link[] = [];
  return {
    bearer,
    async link(pod, app, wanted) {
      const { host, port } = await cluster.reach(pod, wanted);
      const server = { kind: 'app', app, trustDomain: TRUST_DOMAIN } as const;
      const link = openLink({ target: `${host}:${port}`, tls: trust.value, showsCertificate: false, server });
      links.push(link);
      return link;
    },
    async close() {
      for (const link of links) link.close();
      trust.value.close();
      keys.value.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
