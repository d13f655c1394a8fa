import type { webcrypto } from 'node:crypto';
import { ALGORITHM, createKeyPair, keyToPem, serialNumber } from './key-pair.ts';
import { type CertificateNames, checkNames } from './names.ts';
import { BACKDATE_MS, DAY_MS, LEAF_DAYS_MAX } from './validity.ts';
import { x509 } from './x509.ts';

/** A certificate that proves a name, and its key. */
export interface Issued {
  readonly certPem: string;
  /** PKCS #8. */
  readonly keyPem: string;
  readonly notAfter: Date;
}

export type Usage = 'server' | 'client';

export interface LeafOptions extends CertificateNames {
  readonly usages: readonly Usage[];
  /** At most 398, and it never outlives its CA. */
  readonly days: number;
  readonly now: Date;
}

export interface Signer {
  readonly certificate: InstanceType<typeof x509.X509Certificate>;
  readonly signingKey: webcrypto.CryptoKey;
}

/** RFC 5280 upper bound of a common name. */
const COMMON_NAME_MAX = 64;

export async function issueLeaf({ certificate: ca, signingKey }: Signer, options: LeafOptions): Promise<Issued> {
  const { dnsNames = [], ipAddresses = [], uris = [], usages, days, now } = options;
  checkNames(options);
  if (usages.length === 0) throw new RangeError('a certificate without a usage is for nothing');
  if (!(days > 0 && days <= LEAF_DAYS_MAX)) throw new RangeError(`${days} days: more than 0, at most ${LEAF_DAYS_MAX}`);
  const notBefore = new Date(now.getTime() - BACKDATE_MS);
  // From the backdated beginning, or the longest validity would be a little over what browsers take.
  const notAfter = new Date(Math.min(notBefore.getTime() + days * DAY_MS, ca.notAfter.getTime()));
  if (notAfter <= now) throw new RangeError('the CA has expired');

  const keys = await createKeyPair();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [{ CN: [commonName(options)] }],
    issuer: ca.subjectName,
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(usageOids(usages)),
      new x509.SubjectAlternativeNameExtension([
        ...dnsNames.map((value) => ({ type: 'dns', value }) as const),
        ...ipAddresses.map((value) => ({ type: 'ip', value }) as const),
        ...uris.map((value) => ({ type: 'url', value }) as const),
      ]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(await ca.publicKey.export()),
    ],
  });
  return { certPem: `${certificate.toString('pem')}\n`, keyPem: await keyToPem(keys.privateKey), notAfter: certificate.notAfter };
}

export const usageOids = (usages: readonly Usage[]): string[] =>
  usages.map((usage) => (usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth));

/**
 * For people who look at it; clients go by the alternative names alone. Never an address: OpenSSL takes any common name with
 * a dot for a host name and holds it against the CA's domains.
 */
function commonName({ dnsNames = [] }: CertificateNames): string {
  const [first] = dnsNames;
  return first !== undefined && first.length <= COMMON_NAME_MAX ? first : 'sallyport';
}
