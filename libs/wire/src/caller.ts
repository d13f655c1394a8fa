import type { Metadata, ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { type Peer, peerIn } from './peer.ts';

/** Who calls, as far as the connection and the call tell. What it may do is the handler's to judge. */
export interface Caller {
  /** By the client certificate. Undefined: it showed none, or none that our CA signed for an app. */
  readonly peer: Peer | undefined;
  /** The token of `authorization: Bearer …`. Secret, unverified. */
  readonly bearer: string | undefined;
  /** "address:port", for logs. */
  readonly address: string;
  /** Aborted when the call is over, for whatever reason. */
  readonly signal: AbortSignal;
}

type Authenticated = Pick<ServerInterceptingCallInterface, 'getAuthContext'>;

/** Who is at the other end of this call's connection. */
export const peerOf = (call: Authenticated, trustDomain: string): Peer | undefined =>
  peerIn(call.getAuthContext().sslPeerCertificate?.subjectaltname, trustDomain);

/** RFC 6750 section 2.1; the scheme's name in any case. */
export function bearerIn(metadata: Metadata): string | undefined {
  const [value, ...more] = metadata.get('authorization');
  if (typeof value !== 'string' || more.length > 0) return undefined;
  return /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(value)?.[1];
}
