import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type Json, objectOf, textOf } from '@sallyport/kube';
import { type CertificateFacts, dayOf, judgeCertificate, LEFT_MIN_MS } from '../judge-certificate.ts';
import type { NeededObject } from './installed.ts';

/** What is found in an object, in words that hold nothing of its contents. */
export type Judged = { readonly ok: true; readonly detail: string } | { readonly ok: false; readonly detail: string };

const DAY_MS = 86_400_000;
const TLS = ['tls.crt', 'tls.key'] as const;

export interface JudgedFor {
  readonly nowMs: number;
  /** Of the applications; undefined: not known. */
  readonly domain: string | undefined;
}

/** Pure: whether a Secret or ConfigMap has what is read of it, and whether that is of use. */
export function judgeObject(needed: NeededObject, object: unknown, { nowMs, domain }: JudgedFor): Judged {
  const data = readData(needed, object);
  const missing = needed.keys.filter((key) => (data[key] ?? '') === '');
  if (missing.length > 0) return bad(`has no ${missing.join(', ')}; it has ${listed(Object.keys(data))}`);
  const keys = Object.keys(data).filter((key) => key.endsWith('.jwk'));
  if (needed.jwks && keys.length === 0) return bad(`has no *.jwk; it has ${listed(Object.keys(data))}`);
  const broken = needed.jwks ? keys.find((key) => publicPartOf(data[key] ?? '', needed.kind) === undefined) : undefined;
  if (broken !== undefined)
    return bad(
      `${broken} is no ${needed.kind === 'Secret' ? 'private' : 'public'} Ed25519 key in JWK form${needed.kind === 'Secret' ? '' : ', and a private one has no place here'}`,
    );
  if (needed.jwks) return good(`has ${keys.length} key${keys.length === 1 ? '' : 's'}`);
  if (!TLS.every((key) => needed.keys.includes(key))) return good(`has ${listed(needed.keys)}`);
  return judgePair(data, { nowMs, domain: needed.forApps ? domain : undefined });
}

/** Keys that sign and that nobody could verify with, by the names of their files. */
export function unverifiable(signing: unknown, verify: unknown): readonly string[] {
  const known = new Set(Object.values(objectOf(objectOf(verify).data)).map((jwk) => publicPartOf(textOf(jwk), 'ConfigMap')));
  return Object.entries(readData({ kind: 'Secret' }, signing))
    .filter(([name, jwk]) => name.endsWith('.jwk') && !known.has(publicPartOf(jwk, 'Secret')))
    .map(([name]) => name);
}

function judgePair(data: Readonly<Record<string, string>>, { nowMs, domain }: JudgedFor): Judged {
  const pem = { cert: data['tls.crt'] ?? '', key: data['tls.key'] ?? '', ca: data['ca.crt'] };
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pem.cert);
  } catch {
    return bad('tls.crt is no certificate in PEM');
  }
  try {
    if (!certificate.checkPrivateKey(createPrivateKey(pem.key))) return bad('tls.key is not the key of tls.crt');
  } catch {
    return bad('tls.key is no private key in PEM');
  }
  if (pem.ca !== undefined && !isOfCa(certificate, pem)) return bad('tls.crt is not of the CA in ca.crt');
  const facts: CertificateFacts = {
    names: dnsNames(certificate.subjectAltName),
    validFromMs: certificate.validFromDate.getTime(),
    validToMs: certificate.validToDate.getTime(),
  };
  if (domain !== undefined) {
    const judged = judgeCertificate(facts, { domain, hosts: [], which: 'its certificate' }, nowMs);
    return judged.state === 'holds' ? good(judged.detail) : bad(judged.detail);
  }
  const until = dayOf(facts.validToMs);
  if (nowMs < facts.validFromMs) return bad(`its certificate is not valid before ${new Date(facts.validFromMs).toISOString()}`);
  if (nowMs >= facts.validToMs) return bad(`its certificate ended on ${until}`);
  if (facts.validToMs - nowMs < LEFT_MIN_MS)
    return bad(`its certificate ends in ${Math.floor((facts.validToMs - nowMs) / DAY_MS)} days, on ${until}`);
  return good(`its certificate is good until ${until}`);
}

/** With a chain in `tls.crt` the CA is further up, and the handshake will tell. */
function isOfCa(certificate: X509Certificate, pem: { readonly cert: string; readonly ca: string | undefined }): boolean {
  const blocks = (text: string): readonly string[] =>
    text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks(pem.cert).length > 1) return true;
  try {
    return blocks(pem.ca ?? '').some((block) => certificate.verify(new X509Certificate(block).publicKey));
  } catch {
    return false;
  }
}

/** Undefined: it is none. A private one where a public one belongs is none either: it would be open to readers. */
function publicPartOf(text: string, kind: NeededObject['kind']): string | undefined {
  try {
    const { kty, crv, x, d } = objectOf(JSON.parse(text));
    const isOfKind = (typeof d === 'string') === (kind === 'Secret');
    return kty === 'OKP' && crv === 'Ed25519' && isOfKind ? textOf(x) || undefined : undefined;
  } catch {
    return undefined;
  }
}

function readData({ kind }: Pick<NeededObject, 'kind'>, object: unknown): Readonly<Record<string, string>> {
  const data: Json = objectOf(objectOf(object).data);
  const read = (value: unknown): string =>
    kind === 'Secret' ? Buffer.from(textOf(value), 'base64').toString('utf8') : textOf(value);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, read(value)]));
}

const KEYS_SHOWN_MAX = 8;
const listed = (keys: readonly string[]): string =>
  keys.length === 0 ? 'nothing' : keys.slice(0, KEYS_SHOWN_MAX).join(', ') + (keys.length > KEYS_SHOWN_MAX ? ', …' : '');

const dnsNames = (subjectAltName = ''): readonly string[] =>
  subjectAltName.split(', ').flatMap((name) => (name.startsWith('DNS:') ? [name.slice(4).toLowerCase()] : []));

const good = (detail: string): Judged => ({ ok: true, detail });
const bad = (detail: string): Judged => ({ ok: false, detail });
