import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keepAuthority, keepCertificate, spiffeId } from '@sallyport/pki';
import { writeFileAtomic } from '@sallyport/process';

/** Files of one dev stack's certificates; all under its state directory, keys readable by its user alone. */
export interface DevCertificates {
  /** What clients are told to trust: the dev CA, name-constrained to the domain and to loopback; also a given `--cert`. */
  readonly caFile: string;
  readonly app: { readonly certFile: string; readonly keyFile: string };
  /** For the operator and discovery ports, under the dev CA, so that one CA file serves people for everything. */
  readonly loopback: { readonly certFile: string; readonly keyFile: string };
  internal(app: string): Promise<{ readonly caFile: string; readonly certFile: string; readonly keyFile: string }>;
  readonly trustDomain: string;
}

const TRUST_DOMAIN = 'sallyport.local';
const CA_DAYS = 825;
const LEAF_DAYS = 365;

export async function keepCertificates(
  directory: string,
  domain: string,
  given: { readonly certFile: string; readonly keyFile: string } | undefined,
): Promise<DevCertificates> {
  const now = new Date();
  const dev = await keepAuthority(directory, 'dev-ca', {
    commonName: `Sallyport dev CA for ${domain}`,
    permittedDomains: [domain, 'localhost'],
    usages: ['server'],
    days: CA_DAYS,
    now,
  });
  const internal = await keepAuthority(directory, 'internal-ca', {
    commonName: 'Sallyport internal CA',
    permittedTrustDomain: TRUST_DOMAIN,
    days: CA_DAYS,
    now,
  });
  const app =
    given ??
    (await keepCertificate(directory, 'apps', dev, {
      dnsNames: [`*.${domain}`, domain],
      usages: ['server'],
      days: LEAF_DAYS,
      now,
    }));
  const loopback = await keepCertificate(directory, 'loopback', dev, {
    dnsNames: ['localhost'],
    ipAddresses: ['127.0.0.1', '::1'],
    usages: ['server'],
    days: LEAF_DAYS,
    now,
  });
  let caFile = dev.certFile;
  if (given !== undefined) {
    caFile = join(directory, 'trust.crt');
    await writeFileAtomic(caFile, `${dev.certPem}${await readFile(given.certFile, 'utf8')}`, 0o644);
  }
  const made = new Map<string, ReturnType<DevCertificates['internal']>>();

  async function makeInternal(name: string): ReturnType<DevCertificates['internal']> {
    const { certFile, keyFile } = await keepCertificate(directory, name, internal, {
      uris: [spiffeId(TRUST_DOMAIN, name, 'dev')],
      usages: ['server', 'client'],
      days: LEAF_DAYS,
      now,
    });
    return { caFile: internal.certFile, certFile, keyFile };
  }

  return {
    caFile,
    app,
    loopback,
    trustDomain: TRUST_DOMAIN,
    internal(name) {
      // Several processes of one app may ask at once, and one certificate serves them all.
      const files = made.get(name) ?? makeInternal(name);
      made.set(name, files);
      return files;
    },
  };
}
