import { trimBlanks } from './octets.ts';

const MENTIONS_DOMAIN = /domain/i;

/**
 * A Set-Cookie value without its Domain, unless that is exactly `host`.
 *
 * Services of many owners live side by side under one parent domain: a cookie with that Domain would be planted in all of
 * them. Anything but the host itself loses the attribute, also what looks merely odd, because browsers differ in what they
 * forgive; the cookie then belongs to this host alone. All other attributes stay as sent, to the byte (RFC 6265 section 5.2).
 */
export function isolateCookie(value: string, host: string): string {
  if (!MENTIONS_DOMAIN.test(value)) return value;
  return value
    .split(';')
    .filter((part, i) => i === 0 || !isForeignDomain(part, host))
    .join(';');
}

function isForeignDomain(attribute: string, host: string): boolean {
  const equals = attribute.indexOf('=');
  const name = equals === -1 ? attribute : attribute.slice(0, equals);
  if (trimBlanks(name).toLowerCase() !== 'domain') return false;
  const domain = equals === -1 ? '' : trimBlanks(attribute.slice(equals + 1)).toLowerCase();
  return domain !== host && domain !== `.${host}`;
}
