import {
  type Access,
  createKubeClient,
  inClusterAccess,
  type KubeClient,
  openCredentials,
  readKubeconfig,
} from '@sallyport/kube';
import { err, ok, type Result } from '@sallyport/model';
import { createClock } from '@sallyport/process';
import { type TokenFacts, tokenFacts } from './token-facts.ts';

/** Where the command line says that the cluster is. */
export type ClusterAt =
  | { readonly kind: 'kubeconfig'; readonly path: string; readonly context: string | undefined }
  /** As the Pod that this process runs in. */
  | { readonly kind: 'in-cluster'; readonly env: Readonly<Record<string, string | undefined>>; readonly directory?: string };

export interface OpenCluster {
  readonly client: KubeClient;
  readonly server: string;
  /** Of the token that is shown, if one is. */
  readonly token: TokenFacts | undefined;
  close(): Promise<void>;
}

/** People wait; a namespace of Pods takes less. Milliseconds. */
const WHOLE_MS = 20_000;
const BODY_BYTES_MAX = 64 * 1_024 * 1_024;

/** The error is one line for people. */
export async function openCluster(at: ClusterAt): Promise<Result<OpenCluster, string>> {
  const access = await accessTo(at);
  if (!access.ok) return access;
  const clock = createClock();
  const credentials = await openCredentials(access.value, { clock, onProblem: () => undefined });
  if (!credentials.ok) {
    clock.stop();
    return err(credentials.error);
  }
  const client = createKubeClient(access.value, credentials.value, { bodyBytesMax: BODY_BYTES_MAX, wholeMs: WHOLE_MS });
  return ok({
    client,
    server: access.value.server,
    token: tokenFacts(credentials.value.current().token),
    async close() {
      credentials.value.close();
      clock.stop();
      await client.close();
    },
  });
}

async function accessTo(at: ClusterAt): Promise<Result<Access, string>> {
  return at.kind === 'in-cluster' ? inClusterAccess(at.env, at.directory) : await readKubeconfig(at.path, at.context);
}
