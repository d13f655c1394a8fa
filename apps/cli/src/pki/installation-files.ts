import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '@sallyport/files';
import { spiffeId } from '@sallyport/model';
import { keepAuthority, keepCertificate } from '@sallyport/pki';
import { createSigningKey } from '@sallyport/wire';

/** The processes of an installation that show a certificate. A boundary's is for one life of one workload: see docs/boundary.md. */
export const INSTALLATION_APPS = ['gateway', 'supervisor', 'driver', 'discovery', 'edge'] as const;
export type InstallationApp = (typeof INSTALLATION_APPS)[number];

/** What they are called by people's clients; the apps themselves go by the identity alone. */
export type HostNames = Partial<Record<InstallationApp, readonly string[]>>;

export interface InstallationFiles {
  readonly caFile: string;
  readonly certificates: readonly { readonly app: InstallationApp; readonly certFile: string; readonly keyFile: string }[];
  /** Private halves, for gateways. */
  readonly signingKeys: string;
  /** Public halves, for discovery and boundaries. */
  readonly verifyKeys: string;
  /** For applications, under a CA of its own; only where a domain was given. */
  readonly apps: { readonly caFile: string; readonly certFile: string; readonly keyFile: string } | undefined;
}

export interface Wanted {
  readonly trustDomain: string;
  readonly hostNames: HostNames;
  /** Of a trial: a certificate for everything below it, under a CA that is limited to it. */
  readonly domain: string | undefined;
  /** One more key, which signs from now on; those before it still verify. */
  readonly newSigningKey: boolean;
  readonly now: Date;
}

const CA_DAYS = 3_650;
const LEAF_DAYS = 365;

/**
 * An installation's internal CA, a certificate for each app, and its signing keys, in a directory for its owner alone. What is there and
 * still good stays; a certificate with less than a third of its life left is made anew. Throws Node's file errors, and a RangeError
 * for names that are none.
 */
export async function keepInstallation(directory: string, wanted: Wanted): Promise<InstallationFiles> {
  const { trustDomain, hostNames, now } = wanted;
  const ca = await keepAuthority(directory, 'internal-ca', {
    commonName: 'Sallyport internal CA',
    permittedTrustDomain: trustDomain,
    days: CA_DAYS,
    now,
  });
  const certificates = [];
  for (const app of INSTALLATION_APPS) {
    const { certFile, keyFile } = await keepCertificate(directory, app, ca, {
      uris: [spiffeId(trustDomain, app, 'installation')],
      dnsNames: hostNames[app] ?? [],
      usages: ['server', 'client'],
      days: LEAF_DAYS,
      now,
    });
    certificates.push({ app, certFile, keyFile });
  }
  const keys = await keepSigningKeys(directory, wanted.newSigningKey);
  return { caFile: ca.certFile, certificates, ...keys, apps: await keepAppCertificate(directory, wanted) };
}

async function keepAppCertificate(directory: string, { domain, now }: Wanted): Promise<InstallationFiles['apps']> {
  if (domain === undefined) return undefined;
  const ca = await keepAuthority(directory, 'apps-ca', {
    commonName: `Sallyport trial CA for ${domain}`,
    permittedDomains: [domain],
    usages: ['server'],
    days: LEAF_DAYS,
    now,
  });
  const { certFile, keyFile } = await keepCertificate(directory, 'apps', ca, {
    dnsNames: [`*.${domain}`],
    usages: ['server'],
    days: LEAF_DAYS,
    now,
  });
  return { caFile: ca.certFile, certFile, keyFile };
}

export async function keepSigningKeys(
  directory: string,
  another: boolean,
): Promise<Pick<InstallationFiles, 'signingKeys' | 'verifyKeys'>> {
  const signingKeys = join(directory, 'signing-keys');
  const verifyKeys = join(directory, 'verify-keys');
  for (const folder of [signingKeys, verifyKeys]) await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = (await readdir(signingKeys)).filter((name) => name.endsWith('.jwk')).sort();
  if (names.length > 0 && !another) return { signingKeys, verifyKeys };
  // Names order keys by age, and the last one signs.
  const name = `${String(Number.parseInt(names.at(-1) ?? '0', 10) + 1).padStart(4, '0')}.jwk`;
  const { privateJwk, publicJwk } = await createSigningKey();
  await writeFileAtomic(join(verifyKeys, name), publicJwk, 0o644);
  await writeFileAtomic(join(signingKeys, name), privateJwk, 0o600);
  return { signingKeys, verifyKeys };
}
