import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { err, type Host, ok, type Result } from '@sallyport/model';

/** What both sides of every handshake must agree with. */
export const TLS_FLOOR = {
  minVersion: 'TLSv1.2',
  // Without tickets nothing is resumed. A resumed TLS 1.2 session hides its server name from Node, and a TLS 1.3 ticket
  // of one host resumes for another one without asking which certificate to show.
  // Renegotiation, which only TLS 1.2 has, is of use to nobody here, and lets a client make the server work for as long as it likes.
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
} as const;

/** A certificate with its key, checked to belong together. */
export interface Certificate {
  /** DNS names of the certificate, lower case, wildcards as written. */
  readonly names: readonly string[];
  readonly context: SecureContext;
  readonly expiresAt: Date;
}

export interface CertificateSource {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Certificates that a client's must chain to. */
  readonly clientCa?: Buffer | undefined;
}

/** Refuses what Node would take and fail with at the first handshake: a key that belongs to another certificate. */
export function readCertificate({ cert, key, clientCa }: CertificateSource): Result<Certificate, string> {
  try {
    const leaf = new X509Certificate(cert);
    if (!leaf.checkPrivateKey(createPrivateKey(key))) return err('the key does not belong to the certificate');
    const names = dnsNames(leaf);
    if (names.length === 0) return err('the certificate has no DNS name');
    const context = createSecureContext({ cert, key, ...TLS_FLOOR, ...(clientCa === undefined ? {} : { ca: clientCa }) });
    return ok({ names, context, expiresAt: leaf.validToDate });
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
}

function dnsNames(leaf: X509Certificate): string[] {
  return (leaf.subjectAltName ?? '')
    .split(', ')
    .filter((entry) => entry.startsWith('DNS:'))
    .map((entry) => entry.slice('DNS:'.length).toLowerCase());
}

/** The certificate for a host: the exact name first, then a wildcard for its first label. There is no default. */
export function chooseCertificate<T extends Pick<Certificate, 'names'>>(certificates: readonly T[], host: Host): T | undefined {
  const dot = host.indexOf('.');
  const wildcard = dot < 0 ? undefined : `*${host.slice(dot)}`;
  return (
    certificates.find(({ names }) => names.includes(host)) ??
    (wildcard === undefined ? undefined : certificates.find(({ names }) => names.includes(wildcard)))
  );
}
