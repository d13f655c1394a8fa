import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { FenceOrder } from '@sallyport/authority';
import { err, ok, type Result } from '@sallyport/model';
import { CompactSign, compactVerify, decodeProtectedHeader } from 'jose';
import { peerIn } from './peer.ts';
import type { TlsMaterial } from './tls-material.ts';

/** Certificates in an answer, its own included; also how far a chain is followed. */
const CHAIN_MAX = 4;
const TYPE = 'sallyport-fence-answer';

type Said = Pick<FenceOrder, 'sandboxId' | 'runtimeId' | 'epoch' | 'nonce'>;

/**
 * A boundary's word that it refuses every epoch below one, signed by the key of its own certificate, which goes along: it
 * travels through supervisors, which must not be able to say it.
 */
export async function signFenceAnswer({ cert, key }: Pick<TlsMaterial, 'cert' | 'key'>, said: Said): Promise<Uint8Array> {
  const chain = certificatesIn(cert.toString('latin1')).slice(0, CHAIN_MAX);
  const privateKey = createPrivateKey(key);
  const payload = { sub: said.sandboxId, runtime: said.runtimeId, epoch: said.epoch.toString(), nonce: said.nonce };
  const jws = await new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ typ: TYPE, alg: algorithmOf(privateKey), x5c: chain.map(({ raw }) => raw.toString('base64')) })
    .sign(privateKey);
  return Buffer.from(jws);
}

/**
 * Whether the boundary of exactly this runtime has confirmed exactly this fence. The error says which of it failed, for the log.
 * @param ca the installation's CA, PEM
 */
export async function verifyFenceAnswer(
  answer: Uint8Array,
  wanted: Said,
  { ca, trustDomain, now }: { readonly ca: Buffer; readonly trustDomain: string; readonly now: Date },
): Promise<Result<void, string>> {
  const text = Buffer.from(answer).toString('latin1');
  try {
    const header = decodeProtectedHeader(text);
    if (header.typ !== TYPE) return err('the answer is of another type');
    if (!Array.isArray(header.x5c) || header.x5c.length === 0 || header.x5c.length > CHAIN_MAX)
      return err('the answer shows no certificate, or too many');
    const [leaf, ...others] = header.x5c.map((der) => new X509Certificate(Buffer.from(der, 'base64')));
    if (leaf === undefined || !isVouchedFor(leaf, others, certificatesIn(ca.toString('latin1')), now))
      return err('the certificate is not vouched for by our CA now');
    const peer = peerIn(leaf.subjectAltName, trustDomain);
    if (peer?.app !== 'boundary' || peer.id !== wanted.runtimeId)
      return err(`the certificate names ${peer === undefined ? 'nobody' : `${peer.app}/${peer.id}`}`);
    const { payload } = await compactVerify(text, leaf.publicKey, { algorithms: [algorithmOf(leaf.publicKey)] });
    const said = JSON.parse(Buffer.from(payload).toString('utf8')) as Record<string, unknown>;
    const same =
      said.sub === wanted.sandboxId &&
      said.runtime === wanted.runtimeId &&
      said.epoch === wanted.epoch.toString() &&
      said.nonce === wanted.nonce;
    return same ? ok(undefined) : err('the answer is to another question');
  } catch {
    return err('the answer cannot be read, or is not validly signed');
  }
}

/** By the key, never by what the answer says of itself. */
function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  if (asymmetricKeyType === 'ed25519') return 'EdDSA';
  if (asymmetricKeyType === 'rsa') return 'PS256';
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ES256';
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'secp384r1') return 'ES384';
  throw new Error(`a key of type ${asymmetricKeyType} signs no answer`);
}

/** From the certificate up to one that is trusted; each signed by the next and valid now. */
function isVouchedFor(
  leaf: X509Certificate,
  others: readonly X509Certificate[],
  trusted: readonly X509Certificate[],
  now: Date,
): boolean {
  let current = leaf;
  for (let step = 0; step < CHAIN_MAX; step += 1) {
    if (now < current.validFromDate || now > current.validToDate) return false;
    if (trusted.some((ca) => vouches(ca, current) && now <= ca.validToDate)) return true;
    const next = others.find((each) => vouches(each, current));
    if (next === undefined) return false;
    current = next;
  }
  return false;
}

const vouches = (issuer: X509Certificate, subject: X509Certificate): boolean =>
  issuer.ca && subject.checkIssued(issuer) && subject.verify(issuer.publicKey);

const certificatesIn = (pem: string): X509Certificate[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map((each) => new X509Certificate(each));
