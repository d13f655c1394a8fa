import type { PeerCertificate } from 'node:tls';
import { isId } from '@sallyport/model';

/** The processes that the internal CA names; `operator` is a person or a machine that operates. */
export const APPS = ['gateway', 'supervisor', 'driver', 'discovery', 'edge', 'boundary', 'relay', 'operator'] as const;
export type App = (typeof APPS)[number];

/** Who is at the other end, by its certificate. */
export interface Peer {
  readonly app: App;
  readonly id: string;
}

/**
 * Reads the SAN list as Node prints it (`URI:…, DNS:…`). Exactly one URI, of our trust domain, app and id: a certificate
 * with more is not one of ours (SPIFFE X509-SVID section 2 allows one as well). Undefined: nobody we know.
 */
export function peerIn(subjectAltName: string | undefined, trustDomain: string): Peer | undefined {
  // Node quotes a name that holds a comma or a quote; ours never do, so a quote anywhere is not ours.
  if (subjectAltName === undefined || subjectAltName.includes('"')) return undefined;
  const uris = subjectAltName.split(', ').filter((name) => name.startsWith('URI:'));
  const [uri] = uris;
  if (uri === undefined || uris.length > 1) return undefined;
  const prefix = `URI:spiffe://${trustDomain}/`;
  if (!uri.startsWith(prefix)) return undefined;
  const [appText, id, ...more] = uri.slice(prefix.length).split('/');
  const app = APPS.find((name) => name === appText);
  if (app === undefined || id === undefined || more.length > 0 || !isId(id)) return undefined;
  return { app, id };
}

/**
 * For a client: the server's certificate must name this app, and this very one if an id is given; host names in it do not
 * count. An error refuses the connection.
 */
export const checkServerApp =
  (trustDomain: string, app: App, id?: string) =>
  (_host: string, certificate: PeerCertificate): Error | undefined => {
    const peer = peerIn(certificate.subjectaltname, trustDomain);
    if (peer?.app === app && (id === undefined || peer.id === id)) return undefined;
    const spell = (named: { readonly app: string; readonly id: string }): string =>
      id === undefined ? `"${named.app}"` : `"${named.app}/${named.id}"`;
    const found = peer === undefined ? 'no name that we know' : spell(peer);
    const wanted = id === undefined ? `"${app}"` : `"${app}/${id}"`;
    return Object.assign(new Error(`the server's certificate names ${found}, not ${wanted} of ${trustDomain}`), {
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  };
