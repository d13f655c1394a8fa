import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type Constraints, nameConstraints } from './constraints.ts';
import { ALGORITHM, createKeyPair, keyFromPem, keyToPem, serialNumber } from './key-pair.ts';
import { type Issued, issueLeaf, type LeafOptions, type Usage, usageOids } from './leaf.ts';
import { BACKDATE_MS, DAY_MS } from './validity.ts';
import { x509 } from './x509.ts';

/** A certificate authority: one self-signed certificate and its key. */
export interface Authority {
  /** Public: what clients are told to trust. */
  readonly certPem: string;
  readonly keyPem: string;
  readonly notAfter: Date;
  /**
   * Names are checked for their form, not against the CA's constraints: that is for clients to do, and they do. Throws a
   * RangeError for names that are none and for times out of bounds.
   */
  issue(options: LeafOptions): Promise<Issued>;
}

export interface AuthorityOptions {
  readonly commonName: string;
  /** Of the dev CA always, so that its key is worth nothing elsewhere. */
  readonly permittedDomains?: readonly string[];
  /** Of an installation's internal CA: only `spiffe://<trust domain>/…`. Not together with domains. */
  readonly permittedTrustDomain?: string;
  /** What certificates under it may be used for, by clients that look at the CA's own usage (most do). */
  readonly usages?: readonly Usage[];
  readonly days: number;
  readonly now: Date;
}

/** Throws a RangeError for options that make no sense. */
export async function createAuthority(options: AuthorityOptions): Promise<Authority> {
  const { commonName, usages = ['server', 'client'], days, now } = options;
  if (!(days > 0)) throw new RangeError(`${days} days is no validity`);
  const keys = await createKeyPair();
  const constraints = constraintsOf(options);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    // In parts, not as text: a comma in a name must not become another attribute.
    name: [{ CN: [commonName] }],
    notBefore: new Date(now.getTime() - BACKDATE_MS),
    notAfter: new Date(now.getTime() + days * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      // No intermediates: what it signs can sign nothing.
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      new x509.ExtendedKeyUsageExtension(usageOids(usages)),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...(constraints === undefined ? [] : [nameConstraints(constraints)]),
    ],
  });
  return loadAuthority(`${certificate.toString('pem')}\n`, await keyToPem(keys.privateKey));
}

/** Throws when the two are not a CA certificate and its P-256 key. */
export async function loadAuthority(certPem: string, keyPem: string): Promise<Authority> {
  const certificate = new x509.X509Certificate(certPem);
  const signingKey = await keyFromPem(keyPem);
  const node = new X509Certificate(certPem);
  if (!node.ca) throw new Error('the certificate is not that of a CA');
  if (!matches(node, keyPem)) throw new Error('the key is not that of the certificate');
  return {
    certPem,
    keyPem,
    notAfter: certificate.notAfter,
    issue: (options) => issueLeaf({ certificate, signingKey }, options),
  };
}

/** Whether a key belongs to a certificate. */
export function matches(certificate: X509Certificate, keyPem: string): boolean {
  return certificate.checkPrivateKey(createPrivateKey(keyPem));
}

function constraintsOf({ permittedDomains, permittedTrustDomain }: AuthorityOptions): Constraints | undefined {
  if (permittedDomains !== undefined && permittedTrustDomain !== undefined) {
    throw new RangeError('a CA is for domains or for a trust domain, not for both');
  }
  if (permittedDomains !== undefined) return { kind: 'domains', domains: permittedDomains };
  return permittedTrustDomain === undefined ? undefined : { kind: 'trust-domain', trustDomain: permittedTrustDomain };
}
