import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spiffeId } from '@sallyport/model';
import { type KeptAuthority, keepAuthority, keepCertificate } from '@sallyport/pki';
import { createSigningKey, openSigningKeys, type Role, signOperatorToken } from '@sallyport/wire';

export const DOMAIN = 'apps.localhost';
export const TRUST_DOMAIN = 'sallyport.local';
const DAYS = 7;

export interface Files {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** Certificates and tokens of one installation under test. */
export interface Pki {
  /** What clients of applications, operators and readers trust. */
  readonly ca: string;
  readonly caFile: string;
  readonly apps: Files;
  readonly loopback: Files;
  readonly keysFolder: string;
  /** The public halves, for boundaries. */
  readonly verifyKeysFolder: string;
  /** A certificate of the installation's CA for this app; a boundary's names its runtime. */
  internal(app: string, id?: string): Promise<Files>;
  operatorToken(role: Role, lifetimeMs?: number, now?: Date): Promise<string>;
  /** Another signing key; the last name in the folder signs. */
  addSigningKey(name: string): Promise<void>;
}

export async function makePki(folder: string): Promise<Pki> {
  const now = new Date();
  await mkdir(folder, { recursive: true });
  const clientCa = await keepAuthority(folder, 'client-ca', {
    commonName: 'CA for tests',
    permittedDomains: [DOMAIN, 'localhost'],
    usages: ['server'],
    days: DAYS,
    now,
  });
  const internalCa = await keepAuthority(folder, 'internal-ca', {
    commonName: 'internal CA for tests',
    permittedTrustDomain: TRUST_DOMAIN,
    days: DAYS,
    now,
  });
  const server = async (name: string, dnsNames: readonly string[], ipAddresses: readonly string[]): Promise<Files> => {
    const kept = await keepCertificate(folder, name, clientCa, { dnsNames, ipAddresses, usages: ['server'], days: DAYS, now });
    return { caFile: clientCa.certFile, certFile: kept.certFile, keyFile: kept.keyFile };
  };
  const keysFolder = join(folder, 'signing-keys');
  const verifyKeysFolder = join(folder, 'verify-keys');
  await mkdir(keysFolder, { recursive: true });
  await mkdir(verifyKeysFolder, { recursive: true });
  const addSigningKey = async (name: string): Promise<void> => {
    const { privateJwk, publicJwk } = await createSigningKey();
    await writeFile(join(verifyKeysFolder, `${name}.jwk`), publicJwk);
    await writeFile(join(keysFolder, `${name}.jwk`), privateJwk);
  };
  await addSigningKey('key-1');
  // Several of one app may be started at once: they share one certificate, which is made once.
  const made = new Map<string, Promise<Files>>();
  const internal = (app: string, id = 'test'): Promise<Files> => {
    const name = id === 'test' ? app : `${app}-${id}`;
    const files = made.get(name) ?? internalFiles(folder, internalCa, app, id, name, now);
    made.set(name, files);
    return files;
  };
  return {
    ca: await readFile(clientCa.certFile, 'utf8'),
    caFile: clientCa.certFile,
    apps: await server('apps', [`*.${DOMAIN}`], []),
    loopback: await server('loopback', ['localhost'], ['127.0.0.1']),
    keysFolder,
    verifyKeysFolder,
    internal,
    addSigningKey,
    async operatorToken(role, lifetimeMs = 3_600_000, at = now) {
      const keys = await openSigningKeys(keysFolder);
      if (!keys.ok) throw new Error(keys.error);
      const token = await signOperatorToken(keys.value, { principal: `test-${role.kind}`, role }, lifetimeMs, at);
      keys.value.close();
      return token;
    },
  };
}

async function internalFiles(
  folder: string,
  ca: KeptAuthority,
  app: string,
  id: string,
  name: string,
  now: Date,
): Promise<Files> {
  const uris = [spiffeId(TRUST_DOMAIN, app, id)];
  const { certFile, keyFile } = await keepCertificate(folder, name, ca, { uris, usages: ['server', 'client'], days: DAYS, now });
  return { caFile: ca.certFile, certFile, keyFile };
}
