import { isIP } from 'node:net';
import { isSpiffeId, isTrustDomain } from '@sallyport/model';

/** What a certificate is for. At least one of the lists holds something. */
export interface CertificateNames {
  /** Lower-case host names; the first label may be `*`. */
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  /** Identities inside an installation: see `spiffeId` of the model. */
  readonly uris?: readonly string[];
}

const HOST = /^(?=.{1,253}$)(?:\*\.)?[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
/** A domain that a CA may be limited to: `apps.localhost` allows itself and all below it. Throws a RangeError. */
export function checkDomain(domain: string): void {
  if (!HOST.test(domain) || domain.startsWith('*'))
    throw new RangeError(`${JSON.stringify(domain)} is not a domain in lower case`);
}

export function checkTrustDomain(trustDomain: string): void {
  if (!isTrustDomain(trustDomain)) throw new RangeError(`${JSON.stringify(trustDomain)} is not a trust domain`);
}

/** Throws a RangeError for names that no client would match, so that the mistake shows here and not as a failed handshake. */
export function checkNames({ dnsNames = [], ipAddresses = [], uris = [] }: CertificateNames): void {
  if (dnsNames.length + ipAddresses.length + uris.length === 0)
    throw new RangeError('a certificate without a name is for nobody');
  for (const name of dnsNames)
    if (!HOST.test(name)) throw new RangeError(`${JSON.stringify(name)} is not a host name in lower case`);
  for (const address of ipAddresses)
    if (isIP(address) === 0) throw new RangeError(`${JSON.stringify(address)} is not an IP address`);
  for (const uri of uris) if (!isSpiffeId(uri)) throw new RangeError(`${JSON.stringify(uri)} is not a SPIFFE id`);
}
