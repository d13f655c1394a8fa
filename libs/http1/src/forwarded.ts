import type { RequestHead } from './head.ts';

/** The addresses that X-Forwarded-For states, first to last, blanks removed. Believe them only from a trusted peer. */
export function statedAddresses(_head: RequestHead): string[] {
  throw new Error('not built yet');
}

/** X-Forwarded-For behind a trusted ingress: what it stated, and then the ingress itself. */
export function continueForwardedFor(_head: RequestHead, _peer: string): string {
  throw new Error('not built yet');
}
