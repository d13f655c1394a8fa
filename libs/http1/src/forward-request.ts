import type { Asked } from './check-request.ts';
import { isNamed } from './connection-tokens.ts';
import { FIELD } from './field-kind.ts';
import type { RequestHead } from './head.ts';
import { parseHost } from './host.ts';
import { listMembers, trimBlanks } from './octets.ts';
import type { ServicePolicy } from './policy.ts';

/** What the forwarded head needs besides the request. */
export interface RequestContext {
  readonly policy: ServicePolicy;
  /** The application's port, for `host: loopback`. */
  readonly port: number;
  /** The whole value of X-Forwarded-For: the peer's address, or `continueForwardedFor` behind a trusted ingress. */
  readonly forwardedFor: string;
}

/**
 * The head to send to the application, to its empty line, as latin1. Build it once; attempts only send it.
 *
 * Names, order and duplicates stay as the client sent them. Framing is written from what was understood, not copied, so
 * that exactly one framing field leaves. Our own fields go on last: no Connection token can name them away.
 */
export function forwardRequest(head: RequestHead, asked: Asked, context: RequestContext): string {
  const { fields, kinds, connectionNames } = head;
  const { policy } = context;
  let out = `${head.method} ${asked.target} HTTP/1.1\r\n`;
  let saidConnection = false;
  let saidTrailers = false;
  for (let i = 0; i < kinds.length; i++) {
    const name = fields[2 * i] ?? '';
    const value = fields[2 * i + 1] ?? '';
    switch (kinds[i] ?? FIELD.plain) {
      case FIELD.host:
        out += `${name}: ${hostToSend(asked, context)}\r\n`;
        break;
      case FIELD.contentLength:
        out += `${name}: ${head.length}\r\n`;
        break;
      case FIELD.transferEncoding:
        out += `${name}: chunked\r\n`;
        break;
      case FIELD.connection:
        if (asked.webSocket && !saidConnection) out += `${name}: Upgrade\r\n`;
        saidConnection = true;
        break;
      case FIELD.upgrade:
        if (asked.webSocket) out += `${name}: ${value}\r\n`;
        break;
      case FIELD.te:
        // The one member that may pass, and its Connection token with it (RFC 9110 section 10.1.4).
        if (asked.webSocket || saidTrailers || !wantsTrailers(value)) break;
        out += 'Connection: TE\r\nTE: trailers\r\n';
        saidTrailers = true;
        break;
      case FIELD.trailer:
        if (head.framing === 'chunked') out += `${name}: ${value}\r\n`;
        break;
      case FIELD.expect:
        if (head.minor === 1) out += `${name}: ${value}\r\n`;
        break;
      case FIELD.hopByHop:
      case FIELD.forwardedFor:
      case FIELD.forwarded:
      case FIELD.ours:
        break;
      case FIELD.origin:
        if (policy.origin !== 'strip' && !isNamed(name, connectionNames))
          out += `${name}: ${originToSend(value, asked, context)}\r\n`;
        break;
      case FIELD.plain:
      case FIELD.accept:
      case FIELD.setCookie:
      case FIELD.webSocketKey:
      case FIELD.webSocketVersion:
        if (!isNamed(name, connectionNames)) out += `${name}: ${value}\r\n`;
    }
  }
  return `${out}X-Forwarded-For: ${context.forwardedFor}\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: ${asked.hostField}\r\n\r\n`;
}

const wantsTrailers = (te: string): boolean =>
  listMembers(te).some((member) => trimBlanks(member.split(';')[0] ?? '').toLowerCase() === 'trailers');

function hostToSend(asked: Asked, { policy, port }: RequestContext): string {
  if (policy.host === 'public') return asked.hostField;
  return policy.host === 'loopback' ? `localhost:${port}` : policy.host.value;
}

/** Under `match-host`, the origin of the service's own pages gets the Host that the application sees, and keeps its scheme. */
function originToSend(value: string, asked: Asked, context: RequestContext): string {
  if (context.policy.origin !== 'match-host') return value;
  const [, scheme = '', authority = ''] = /^(https?:\/\/)(.+)$/i.exec(value) ?? [];
  return parseHost(authority)?.host === asked.host ? scheme + hostToSend(asked, context) : value;
}
