import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { type App, checkServerApp } from './peer.ts';

/** Who the server must be: an app of our trust domain by its certificate's URI, or whoever holds the host name dialled. */
export type ExpectedServer =
  | { readonly kind: 'app'; readonly app: App; readonly trustDomain: string }
  | { readonly kind: 'host-name' };

/** "host:port" or "[v6]:port"; undefined for the other forms of a gRPC target. */
export const hostIn = (target: string): string | undefined =>
  /^(?:\[([^\]]+)\]|([^:/[\]]+)):\d+$/.exec(target)?.slice(1).find(Boolean);

/**
 * How a client checks its server, and the server name that it sends. TLS allows no IP address as a server name (RFC 6066
 * section 3), and Node will soon ignore one, so a name of ours stands in for it; the check is against what was dialled.
 */
export function serverCheck(expected: ExpectedServer, target: string) {
  const host = hostIn(target);
  const standIn = expected.kind === 'app' ? expected.app : host !== undefined && isIP(host) !== 0 ? 'localhost' : undefined;
  const check =
    expected.kind === 'app'
      ? checkServerApp(expected.trustDomain, expected.app)
      : (name: string, certificate: PeerCertificate) =>
          checkServerIdentity(standIn === undefined ? name : (host ?? name), certificate);
  return { checkServerIdentity: check, options: standIn === undefined ? {} : { 'grpc.ssl_target_name_override': standIn } };
}
