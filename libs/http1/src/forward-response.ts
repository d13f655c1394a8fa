import type { RequestHead, ResponseHead } from './head.ts';
import type { Plan } from './plan-response.ts';
import type { ServicePolicy } from './policy.ts';

/** The head to send to the client, to its empty line, as latin1. */
export function forwardResponse(_response: ResponseHead, _plan: Plan, _host: string, _policy: ServicePolicy): string {
  throw new Error('not built yet');
}

/** The head of a 1xx answer to pass on, or '' where this client must not see it (HTTP/1.0, or a 100 that was not asked for). */
export function forwardInterim(_response: ResponseHead, _request: RequestHead): string {
  throw new Error('not built yet');
}

/** The 101 of a WebSocket handshake for the client. */
export function forwardSwitch(_response: ResponseHead, _host: string, _policy: ServicePolicy): string {
  throw new Error('not built yet');
}
