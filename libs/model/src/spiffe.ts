/** Identities inside an installation: URIs in its internal certificates (SPIFFE-ID sections 2.1 to 2.3). */

/** The characters that SPIFFE allows in a trust domain and in a segment of a path. */
const TRUST_DOMAIN = /^[a-z0-9][a-z0-9._-]{0,254}$/;
const SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/;
const SPIFFE_ID = /^spiffe:\/\/([^/]*)((?:\/[^/]+)+)$/;

export const isTrustDomain = (text: string): boolean => TRUST_DOMAIN.test(text);

export function isSpiffeId(uri: string): boolean {
  const [, trustDomain, path] = SPIFFE_ID.exec(uri) ?? [];
  const segments = path?.slice(1).split('/') ?? [];
  return trustDomain !== undefined && isTrustDomain(trustDomain) && segments.every((segment) => SEGMENT.test(segment));
}

/** `spiffe://<trust domain>/<app>/<id>`. Throws a RangeError for parts that cannot be in one. */
export function spiffeId(trustDomain: string, app: string, id: string): string {
  const uri = `spiffe://${trustDomain}/${app}/${id}`;
  if (!isTrustDomain(trustDomain) || !SEGMENT.test(app) || !SEGMENT.test(id))
    throw new RangeError(`${JSON.stringify(uri)} is not a SPIFFE id`);
  return uri;
}
