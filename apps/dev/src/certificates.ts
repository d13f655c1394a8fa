import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '@sallyport/files';
import { spiffeId } from '@sallyport/model';
import { keepAuthority, keepCertificate } from '@sallyport/pki';

interface InternalFiles {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** Files of one dev stack's certificates; all under its state directory, keys readable by its user alone. */
export interface DevCertificates {
  /** What clients are told to trust: the dev CA, name-constrained to the domain and to loopback; also a given `--cert`. */
  readonly caFile: string;
  readonly app: { readonly certFile: string; readonly keyFile: string };
  /** For the operator and discovery ports, under the dev CA, so that one CA file serves people for everything. */
  readonly loopback: { readonly certFile: string; readonly keyFile: string };
  internal(app: string): Promise<InternalFiles>;
  /** Of the boundary of one runtime, whose name it has; a runtime of this stack lives as short as its folder. */
  boundary(runtimeId: string, folder: string): Promise<InternalFiles>;
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
  const made = new Map<string, Promise<InternalFiles>>();

  async function issue(folder: string, file: string, app: string, id: string): Promise<InternalFiles> {
    const { certFile, keyFile } = await keepCertificate(folder, file, internal, {
      uris: [spiffeId(TRUST_DOMAIN, app, id)],
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
      const files = made.get(name) ?? issue(directory, name, name, 'dev');
      made.set(name, files);
      return files;
    },
    boundary: (runtimeId, folder) => issue(folder, `boundary-${runtimeId}`, 'boundary', runtimeId),
  };
}
