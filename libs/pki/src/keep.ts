import { X509Certificate } from 'node:crypto';
import { isIPv6, SocketAddress } from 'node:net';
import { join } from 'node:path';
import { createFileAtomic, writeFileAtomic } from '@sallyport/files';
import { type Authority, type AuthorityOptions, createAuthority, loadAuthority, matches } from './authority.ts';
import { makeDirectory, PUBLIC_MODE, readIfThere, readSecret, SECRET_MODE } from './files.ts';
import type { Issued, LeafOptions } from './leaf.ts';
import { isDue } from './validity.ts';
import { x509 } from './x509.ts';

/** A CA in a state directory: people trust it once, so it is used again for as long as it can be. */
export interface KeptAuthority extends Authority {
  /** The certificate alone; for trust stores and `--cacert`. */
  readonly certFile: string;
}

export interface KeptCertificate extends Issued {
  readonly certFile: string;
  readonly keyFile: string;
}

/**
 * The CA of this directory: the one that is there, or a new one when there is none, when it cannot be read, is made for
 * something else, or has less than a third of its life left. `<name>.pem` holds certificate and key in one file, so that
 * they change together; `<name>.crt` is the certificate alone. Throws Node's file errors.
 */
export async function keepAuthority(directory: string, name: string, options: AuthorityOptions): Promise<KeptAuthority> {
  await makeDirectory(directory);
  const bundleFile = join(directory, `${name}.pem`);
  const certFile = join(directory, `${name}.crt`);
  const purpose = `# ${JSON.stringify(purposeOf(options))}\n`;

  const there = await readSecret(bundleFile);
  let authority = there === undefined ? undefined : await usable(there, purpose, options.now);
  if (authority === undefined) {
    const made = await createAuthority(options);
    const bundle = `${purpose}${made.certPem}${made.keyPem}`;
    if (there !== undefined) await writeFileAtomic(bundleFile, bundle, SECRET_MODE);
    // Somebody else made one in the same moment: theirs is the one that will be trusted.
    else if (!(await createFileAtomic(bundleFile, bundle, SECRET_MODE))) return keepAuthority(directory, name, options);
    authority = made;
  }
  if ((await readIfThere(certFile)) !== authority.certPem) await writeFileAtomic(certFile, authority.certPem, PUBLIC_MODE);
  return { ...authority, certFile };
}

/** What must be the same for a CA to be used again; its life may differ. */
const purposeOf = ({ commonName, permittedDomains, permittedTrustDomain, usages }: AuthorityOptions): object => ({
  commonName,
  permittedDomains,
  permittedTrustDomain,
  usages,
});

async function usable(bundle: string, purpose: string, now: Date): Promise<Authority | undefined> {
  if (!bundle.startsWith(purpose)) return undefined;
  const [certPem = ''] = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n/.exec(bundle) ?? [];
  const [keyPem = ''] = /-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----\n/.exec(bundle) ?? [];
  try {
    return isDue(validityOf(certPem), now) ? undefined : await loadAuthority(certPem, keyPem);
  } catch {
    // Cut off, edited or of an older release: a new one costs a new trust, an unreadable one costs the start.
    return undefined;
  }
}

/**
 * The certificate `<name>.crt` with its key `<name>.key`: the pair that is there, or a new one when it is missing, broken,
 * under another CA, for other names, or has less than a third of its life left.
 */
export async function keepCertificate(
  directory: string,
  name: string,
  authority: Authority,
  options: LeafOptions,
): Promise<KeptCertificate> {
  await makeDirectory(directory);
  const certFile = join(directory, `${name}.crt`);
  const keyFile = join(directory, `${name}.key`);
  const [certPem, keyPem] = [await readIfThere(certFile), await readSecret(keyFile)];
  if (certPem !== undefined && keyPem !== undefined && serves(certPem, keyPem, authority, options)) {
    return { certPem, keyPem, notAfter: validityOf(certPem).notAfter, certFile, keyFile };
  }
  const issued = await authority.issue(options);
  await writeFileAtomic(keyFile, issued.keyPem, SECRET_MODE);
  await writeFileAtomic(certFile, issued.certPem, PUBLIC_MODE);
  return { ...issued, certFile, keyFile };
}

function serves(certPem: string, keyPem: string, authority: Authority, options: LeafOptions): boolean {
  try {
    const certificate = new X509Certificate(certPem);
    return (
      !isDue(validityOf(certPem), options.now) &&
      certificate.verify(new X509Certificate(authority.certPem).publicKey) &&
      matches(certificate, keyPem) &&
      sameNames(certPem, options) &&
      sameUsages(certificate, options)
    );
  } catch {
    return false;
  }
}

function sameNames(certPem: string, { dnsNames = [], ipAddresses = [], uris = [] }: LeafOptions): boolean {
  const names = new x509.X509Certificate(certPem).getExtension(x509.SubjectAlternativeNameExtension)?.names.toJSON() ?? [];
  const found = names.map(({ type, value }) => `${type}:${type === 'ip' ? plainAddress(value) : value}`);
  const wanted = [
    ...dnsNames.map((name) => `dns:${name}`),
    ...ipAddresses.map((address) => `ip:${plainAddress(address)}`),
    ...uris.map((uri) => `url:${uri}`),
  ];
  return found.sort().join() === wanted.sort().join();
}

/** One spelling for each address: IPv6 has many. */
const plainAddress = (address: string): string =>
  new SocketAddress({ address, family: isIPv6(address) ? 'ipv6' : 'ipv4' }).address;

const OIDS = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;

function sameUsages(certificate: X509Certificate, { usages }: LeafOptions): boolean {
  return (
    [...(certificate.keyUsage ?? [])].sort().join() ===
    usages
      .map((usage) => OIDS[usage])
      .sort()
      .join()
  );
}

function validityOf(certPem: string): { readonly notBefore: Date; readonly notAfter: Date } {
  const { validFromDate, validToDate } = new X509Certificate(certPem);
  return { notBefore: validFromDate, notAfter: validToDate };
}
