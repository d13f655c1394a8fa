import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
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
  /** For `createServer` of node:tls, which takes no context that was made before. */
  readonly options: SecureContextOptions;
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
  const leaf = parsed('the certificate cannot be read as PEM', () => new X509Certificate(cert));
  if (!leaf.ok) return leaf;
  const privateKey = parsed('the key cannot be read as PEM', () => createPrivateKey(key));
  if (!privateKey.ok) return privateKey;
  if (!leaf.value.checkPrivateKey(privateKey.value)) return err('the key does not belong to the certificate');
  const names = dnsNames(leaf.value);
  if (names.length === 0) return err('the certificate has no DNS name');
  // An empty file of CAs would be taken, and then nobody be let in.
  const ca = clientCa && parsed('the CA of clients cannot be read as PEM', () => new X509Certificate(clientCa));
  if (ca?.ok === false) return ca;
  const options = { cert, key, ...TLS_FLOOR, ...(clientCa === undefined ? {} : { ca: clientCa }) };
  const usable = parsed('the pair cannot be used', () => createSecureContext(options));
  return usable.ok ? ok({ names, options, expiresAt: leaf.value.validToDate }) : usable;
}

/** What OpenSSL says of a wrong file is no sentence: it stands behind ours. */
function parsed<T>(otherwise: string, read: () => T): Result<T, string> {
  try {
    return ok(read());
  } catch (error) {
    return err(`${otherwise} (${error instanceof Error ? error.message : String(error)})`);
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
