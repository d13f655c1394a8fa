import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSigningKey } from '@sallyport/wire';
import type { Container, PodSpec, Volume } from './objects.ts';

/** Where Kubernetes and cert-manager put what a Secret of TLS holds; `sallyport pki secrets` does the same. */
const TLS_FILES = ['ca.crt', 'tls.crt', 'tls.key'];
const { privateJwk } = await createSigningKey();

/** The files of a Pod's volumes, laid out under a folder as its container sees them. */
export interface Laid {
  readonly root: string;
  /** An argument with its path led to where the files really are. */
  here(argument: string): string;
  remove(): void;
}

export function layMounts({ volumes = [] }: PodSpec, { volumeMounts = [] }: Container): Laid {
  const root = mkdtempSync(join(tmpdir(), 'sallyport-mounts-'));
  for (const { name, mountPath } of volumeMounts) {
    const volume = volumes.find((each) => each.name === name);
    if (volume === undefined) throw new Error(`nothing is mounted at ${mountPath}: there is no volume ${name}`);
    for (const file of filesOf(volume)) {
      const path = join(root, mountPath, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, file.endsWith('.jwk') ? privateJwk : `${file}\n`);
    }
  }
  return {
    root,
    here: (argument) => argument.replace('=/var/run/', `=${root}/var/run/`),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function filesOf({ name, secret, configMap, projected, csi }: Volume): readonly string[] {
  if (projected !== undefined) return projected.sources.map(({ serviceAccountToken }) => serviceAccountToken.path);
  if (name === 'credential') return ['token'];
  if (name === 'grants') return ['grants.json'];
  if (name === 'signing-keys' || name === 'verify-keys') return ['0001.jwk'];
  if (secret !== undefined || csi !== undefined) return TLS_FILES;
  throw new Error(`what volume ${name} holds is not known here${configMap === undefined ? '' : `: ConfigMap ${configMap.name}`}`);
}
