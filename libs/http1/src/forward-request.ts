import type { Asked } from './check-request.ts';
import type { RequestHead } from './head.ts';
import type { ServicePolicy } from './policy.ts';

/** What the forwarded head needs besides the request. */
export interface RequestContext {
  readonly policy: ServicePolicy;
  /** The application's port, for `host: loopback`. */
  readonly port: number;
  /** The whole value of X-Forwarded-For: the peer's address, or `continueForwardedFor` behind a trusted ingress. */
  readonly forwardedFor: string;
}

/** The head to send to the application, to its empty line, as latin1. Build it once; attempts only send it. */
export function forwardRequest(_head: RequestHead, _asked: Asked, _context: RequestContext): string {
  throw new Error('not built yet');
}
