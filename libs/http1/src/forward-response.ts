import { isNamed } from './connection-tokens.ts';
import { isolateCookie } from './cookies.ts';
import { FIELD } from './field-kind.ts';
import type { RequestHead, ResponseHead } from './head.ts';
import type { Plan } from './plan-response.ts';
import type { ServicePolicy } from './policy.ts';

/**
 * The head to send to the client, to its empty line, as latin1. Names, order and duplicates stay as the application sent
 * them; what concerns only its connection to us goes, and what concerns the client's connection to us is set last.
 */
export function forwardResponse(response: ResponseHead, plan: Plan, host: string, policy: ServicePolicy): string {
  // A 426 tells which protocol would do; any other Upgrade would offer one that we do not let through.
  const offers = response.status === 426 && response.kinds.includes(FIELD.upgrade);
  let out = statusLine(response) + endToEnd(response, plan.framing, host, policy, offers);
  if (plan.framing === 'chunked' && response.framing !== 'chunked') out += 'Transfer-Encoding: chunked\r\n';
  if (offers) out += plan.close ? 'Connection: Upgrade, close\r\n' : 'Connection: Upgrade\r\n';
  else if (plan.connection !== '') out += `Connection: ${plan.connection}\r\n`;
  return `${out}\r\n`;
}

/** The head of a 1xx answer to pass on, or '' where this client must not see it (HTTP/1.0, or a 100 that was not asked for). */
export function forwardInterim(response: ResponseHead, request: RequestHead): string {
  if (request.minor === 0 || (response.status === 100 && !request.expectsContinue)) return '';
  // No browser takes a cookie from an interim answer, so none is judged here and none passes.
  return `${statusLine(response)}${endToEnd(response, 'none', '', undefined, false)}\r\n`;
}

/** The 101 of a WebSocket handshake for the client. */
export function forwardSwitch(response: ResponseHead, host: string, policy: ServicePolicy): string {
  return `${statusLine(response)}${endToEnd(response, 'none', host, policy, true)}Connection: Upgrade\r\n\r\n`;
}

const statusLine = (response: ResponseHead): string => `HTTP/1.1 ${response.status} ${response.phrase}\r\n`;

/** The field lines without those of the connection; the framing field, where the plan keeps it, from what was understood. */
function endToEnd(
  response: ResponseHead,
  framing: Plan['framing'],
  host: string,
  policy: ServicePolicy | undefined,
  upgrade: boolean,
): string {
  const { fields, kinds, connectionNames } = response;
  // Answers to HEAD and 304 tell the length of a body that does not follow; 1xx and 204 may not (RFC 9110 section 8.6).
  const length = response.status < 200 || response.status === 204 ? -1 : response.length;
  let out = '';
  for (let i = 0; i < kinds.length; i++) {
    const name = fields[2 * i] ?? '';
    const value = fields[2 * i + 1] ?? '';
    switch (kinds[i] ?? FIELD.plain) {
      case FIELD.contentLength:
        if (length >= 0) out += `${name}: ${length}\r\n`;
        break;
      case FIELD.transferEncoding:
        if (framing === 'chunked') out += `${name}: chunked\r\n`;
        break;
      case FIELD.connection:
      case FIELD.te:
      case FIELD.hopByHop:
      case FIELD.ours:
        break;
      case FIELD.upgrade:
        if (upgrade) out += `${name}: ${value}\r\n`;
        break;
      case FIELD.trailer:
        if (framing === 'chunked') out += `${name}: ${value}\r\n`;
        break;
      case FIELD.setCookie:
        if (policy === undefined || isNamed(name, connectionNames)) break;
        out += `${name}: ${policy.cookies === 'isolate' ? isolateCookie(value, host) : value}\r\n`;
        break;
      // What means something in requests only is the application's own affair here.
      case FIELD.plain:
      case FIELD.host:
      case FIELD.expect:
      case FIELD.forwardedFor:
      case FIELD.forwarded:
      case FIELD.origin:
      case FIELD.accept:
      case FIELD.webSocketKey:
      case FIELD.webSocketVersion:
        if (!isNamed(name, connectionNames)) out += `${name}: ${value}\r\n`;
    }
  }
  return out;
}
