import { continueForwardedFor, type RequestHead, statedAddresses } from '@sallyport/http1';
import { type CidrSet, normaliseAddress } from './cidr.ts';

/** Who is at the other end of a client connection, as the network or a believed PROXY header says. */
export interface Peer {
  readonly address: string;
  /** It is one of ours: what it says in X-Forwarded-For is believed. */
  readonly trusted: boolean;
}

/** Whose request this is, and the X-Forwarded-For that the application sees. */
export interface Origin {
  readonly client: string;
  readonly forwardedFor: string;
}

export function originOf(head: RequestHead, peer: Peer, trusted: CidrSet): Origin {
  if (!peer.trusted) return { client: peer.address, forwardedFor: peer.address };
  return {
    client: clientBehind(statedAddresses(head), trusted) ?? peer.address,
    forwardedFor: continueForwardedFor(head, peer.address),
  };
}

/**
 * The last address of the list that is not one of ours: whatever stands left of it was written by that client itself.
 * If all are ours, the first.
 */
function clientBehind(stated: readonly string[], trusted: CidrSet): string | undefined {
  const addresses = stated.map(normaliseAddress);
  return addresses.findLast((address) => !trusted.has(address)) ?? addresses[0];
}
