import { AsnConvert } from '@peculiar/asn1-schema';
import { GeneralName, GeneralSubtree, GeneralSubtrees, id_ce_nameConstraints, NameConstraints } from '@peculiar/asn1-x509';
import { checkDomain, checkTrustDomain } from './names.ts';
import { x509 } from './x509.ts';

/**
 * What a CA may vouch for. A constraint on one form of name says nothing of the others, so a CA for domains is also kept
 * from addresses beyond this machine, from mail and from URIs: a stolen key is worth nothing outside of the domain.
 */
export type Constraints =
  | { readonly kind: 'domains'; readonly domains: readonly string[] }
  /** Identities of one installation; host names and addresses are free, since they are whatever the cluster gives. */
  | { readonly kind: 'trust-domain'; readonly trustDomain: string };

/** Allows nothing of a form: RFC 2606 keeps this name from ever existing. To exclude "all" is something OpenSSL does not do. */
const NO_HOST = 'invalid';
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** The critical extension: a client that does not understand it must refuse the CA. Throws a RangeError for bad names. */
export function nameConstraints(constraints: Constraints): InstanceType<typeof x509.Extension> {
  const value = constraints.kind === 'domains' ? domainsOnly(constraints.domains) : trustDomainOnly(constraints.trustDomain);
  return new x509.Extension(id_ce_nameConstraints, true, AsnConvert.serialize(value));
}

function domainsOnly(domains: readonly string[]): NameConstraints {
  if (domains.length === 0) throw new RangeError('a CA that may vouch for no domain is of no use');
  for (const domain of domains) checkDomain(domain);
  return new NameConstraints({
    permittedSubtrees: subtrees([
      ...domains.map((dNSName) => ({ dNSName })),
      ...LOOPBACK.map((iPAddress) => ({ iPAddress })),
      { rfc822Name: NO_HOST },
      { uniformResourceIdentifier: NO_HOST },
    ]),
  });
}

function trustDomainOnly(trustDomain: string): NameConstraints {
  checkTrustDomain(trustDomain);
  return new NameConstraints({
    permittedSubtrees: subtrees([{ uniformResourceIdentifier: trustDomain }, { rfc822Name: NO_HOST }]),
  });
}

const subtrees = (names: readonly Partial<GeneralName>[]): GeneralSubtrees =>
  new GeneralSubtrees(names.map((name) => new GeneralSubtree({ base: new GeneralName(name) })));
