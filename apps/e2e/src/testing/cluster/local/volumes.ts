import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeApi } from '@sallyport/kube/testing';
import { until } from '../../../authority/rig/until.ts';

/** What the node reads of a Pod's volumes; as in the manifest. */
export interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName: string };
  readonly configMap?: { readonly name: string };
  readonly projected?: { readonly sources: readonly Source[] };
}

interface Source {
  readonly secret?: { readonly name: string };
  readonly configMap?: { readonly name: string };
  readonly serviceAccountToken?: { readonly audience?: string; readonly path: string };
}

export interface Owner {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly serviceAccount: string;
}

export interface Mounted {
  /** Replaces each token by a fresh one, as a kubelet does long before one ends; the old ones hold no longer. */
  renewTokens(): Promise<void>;
}

const API_AUDIENCE = 'https://kubernetes.default.svc';
const MADE_MS = 30_000;

/** Writes the volumes of a Pod; waits for secrets that are yet to be made. */
export async function mountVolumes(api: KubeApi, owner: Owner, volumes: readonly Volume[], folder: string): Promise<Mounted> {
  const tokens: { readonly path: string; readonly audience: string; token: string }[] = [];

  async function write(volume: string, files: Readonly<Record<string, string>>): Promise<void> {
    await mkdir(join(folder, volume), { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, volume, name), text, { mode: 0o600 });
  }

  async function dataOf(plural: 'secrets' | 'configmaps', name: string): Promise<Record<string, string>> {
    const found = () => api.store.get(plural, owner.namespace, name) as { data?: Record<string, string> } | undefined;
    await until(`${plural} ${name} is there`, () => found() !== undefined, MADE_MS);
    const data = found()?.data ?? {};
    if (plural === 'configmaps') return data;
    return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));
  }

  const issue = (audience: string): string =>
    api.tokens.issue({
      namespace: owner.namespace,
      serviceAccount: owner.serviceAccount,
      pod: { name: owner.name, uid: owner.uid },
      audiences: [audience],
    });

  async function writeSource(volume: string, { secret, configMap, serviceAccountToken }: Source): Promise<void> {
    if (secret !== undefined) await write(volume, await dataOf('secrets', secret.name));
    if (configMap !== undefined) await write(volume, await dataOf('configmaps', configMap.name));
    if (serviceAccountToken === undefined) return;
    const { audience = API_AUDIENCE, path } = serviceAccountToken;
    const token = issue(audience);
    tokens.push({ path: join(folder, volume, path), audience, token });
    await write(volume, { [path]: token });
  }

  for (const { name, secret, configMap, projected } of volumes) {
    if (secret !== undefined) await write(name, await dataOf('secrets', secret.secretName));
    if (configMap !== undefined) await write(name, await dataOf('configmaps', configMap.name));
    for (const source of projected?.sources ?? []) await writeSource(name, source);
  }
  return {
    async renewTokens() {
      for (const held of tokens) {
        const old = held.token;
        held.token = issue(held.audience);
        await writeFile(held.path, held.token, { mode: 0o600 });
        api.tokens.revoke(old);
      }
    },
  };
}
