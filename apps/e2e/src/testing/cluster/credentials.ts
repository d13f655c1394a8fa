import { type Authority, type CertificateNames, createAuthority } from '@sallyport/pki';
import { createSigningKey } from '@sallyport/wire';
import type { Texts } from './plan.ts';

export const TRUST_DOMAIN = 'sallyport.local';
export const DOMAIN = 'apps.test';
const DAYS = 2;

/** Certificates and keys of one installation, as the contents of Secrets. */
export interface Credentials {
  /** What clients of applications trust. */
  readonly appCa: string;
  readonly internalCa: string;
  readonly apps: Texts;
  readonly signing: Texts;
  readonly verify: Texts;
  internal(app: string, id: string): Promise<Texts>;
}

export async function createCredentials(): Promise<Credentials> {
  const now = new Date();
  const internal = await createAuthority({ commonName: 'internal CA', permittedTrustDomain: TRUST_DOMAIN, days: DAYS, now });
  const clients = await createAuthority({ commonName: 'CA of applications', permittedDomains: [DOMAIN], days: DAYS, now });
  const key = await createSigningKey();
  const issue = async (authority: Authority, names: CertificateNames): Promise<Texts> => {
    const { certPem, keyPem } = await authority.issue({ ...names, usages: ['server', 'client'], days: DAYS - 1, now });
    return { 'ca.crt': authority.certPem, 'tls.crt': certPem, 'tls.key': keyPem };
  };
  return {
    appCa: clients.certPem,
    internalCa: internal.certPem,
    apps: await issue(clients, { dnsNames: [`*.${DOMAIN}`] }),
    signing: { '1.jwk': key.privateJwk },
    verify: { '1.jwk': key.publicJwk },
    internal: (app, id) => issue(internal, { uris: [`spiffe://${TRUST_DOMAIN}/${app}/${id}`] }),
  };
}
