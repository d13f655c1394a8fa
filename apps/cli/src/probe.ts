import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { checkServerIdentity, connect } from 'node:tls';
import { hostIn } from '@sallyport/wire';

/** What is found at an address when one looks. */
export type Probe =
  | { readonly kind: 'well' }
  | { readonly kind: 'refused' | 'unknown-name' | 'silent' | 'not-tls' | 'expired' }
  | { readonly kind: 'untrusted' | 'broken'; readonly code: string }
  /** The names that the certificate is for. */
  | { readonly kind: 'other-name'; readonly names: string };

const PROBE_MS = 2_000;

const KINDS: Readonly<Record<string, Exclude<Probe, { code: string } | { names: string }>['kind']>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'unknown-name',
  EAI_AGAIN: 'unknown-name',
  ETIMEDOUT: 'silent',
  EHOSTUNREACH: 'silent',
  ENETUNREACH: 'silent',
  EPROTO: 'not-tls',
  ERR_SSL_WRONG_VERSION_NUMBER: 'not-tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'not-tls',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'expired',
};

/** OpenSSL's words for a chain that does not end at our CA. */
const UNTRUSTED =
  /SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_SIGNATURE_FAILURE|CERT_UNTRUSTED|INVALID_CA|PERMITTED_VIOLATION/;

/** Dials once as gRPC would and tells what is wrong on the way to a TLS connection that could be used. */
export function probe(address: string, caFile: string): Promise<Probe> {
  const host = hostIn(address) ?? address;
  const port = Number(address.slice(address.lastIndexOf(':') + 1));
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port,
      ca: readFileSync(caFile),
      ALPNProtocols: ['h2'],
      servername: isIP(host) === 0 ? host : 'localhost',
      checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
    });
    const end = (found: Probe): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(found);
    };
    const timer = setTimeout(() => end({ kind: 'silent' }), PROBE_MS);
    socket.once('secureConnect', () => end({ kind: 'well' }));
    socket.once('end', () => end({ kind: 'broken', code: 'it was closed' }));
    socket.once('error', (error: NodeJS.ErrnoException & { cert?: { subjectaltname?: string } }) => end(judge(error)));
  });
}

function judge(error: NodeJS.ErrnoException & { cert?: { subjectaltname?: string } }): Probe {
  // Several addresses of one name were tried.
  const code = error.code ?? (error as AggregateError).errors?.[0]?.code ?? error.message;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return { kind: 'other-name', names: namesIn(error.cert?.subjectaltname) };
  if (UNTRUSTED.test(code)) return { kind: 'untrusted', code };
  const kind = KINDS[code];
  return kind === undefined ? { kind: 'broken', code } : { kind };
}

const namesIn = (subjectAltName = ''): string =>
  subjectAltName
    .split(', ')
    .filter((name) => /^(DNS|IP Address):/.test(name))
    .map((name) => name.slice(name.indexOf(':') + 1))
    .join(', ') || 'no host at all';
