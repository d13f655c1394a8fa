import type { Rejection } from './codes.ts';
import { FIELD } from './field-kind.ts';
import type { RequestHead } from './head.ts';
import { parseHost } from './host.ts';
import { webSocketHandshake } from './websocket.ts';

/** What a request asks for, in the one spelling that the rest of the program compares. */
export interface Asked {
  /** Lower case, one trailing dot and the port removed. */
  readonly host: string;
  /** `host`, or `host:port` where the client sent a port: what an application under the public name should see. */
  readonly hostField: string;
  /** Origin form (`/path?query`, untouched), or `*` with OPTIONS. */
  readonly target: string;
  /** A complete WebSocket handshake. False for any other Upgrade: that request goes on as plain HTTP. */
  readonly webSocket: boolean;
}

export type Checked = { readonly ok: true; readonly value: Asked } | { readonly ok: false; readonly error: Rejection };

/** Checks a well-formed head against the rules of an intermediary (RFC 9110 section 7, RFC 9112 section 3, RFC 6455 section 4.2.1). */
export function checkRequest(head: RequestHead): Checked {
  if (head.method === 'CONNECT') return refuse('method_refused', 'CONNECT');

  // Exactly one, in HTTP/1.0 too: without it nobody knows whose service is meant.
  const hostAt = head.kinds.indexOf(FIELD.host);
  if (hostAt === -1) return refuse('bad_request', 'no Host');
  if (head.kinds.indexOf(FIELD.host, hostAt + 1) !== -1) return refuse('bad_request', 'more than one Host');
  const asked = parseHost(head.fields[2 * hostAt + 1] ?? '');
  if (asked === undefined) return refuse('bad_request', 'a malformed Host');

  const target = head.target.startsWith('/') ? head.target : otherForm(head, asked.host);
  if (target === undefined) return refuse('bad_request', 'a target that is neither a path nor this host');

  const handshake = webSocketHandshake(head);
  if (handshake === 'malformed') return refuse('bad_request', 'a WebSocket handshake without a good key or version');
  return {
    ok: true,
    value: {
      host: asked.host,
      hostField: asked.port === '' ? asked.host : `${asked.host}:${asked.port}`,
      target,
      webSocket: handshake === 'yes',
    },
  };
}

const ABSOLUTE = /^https?:\/\/([^/?]*)(.*)$/i;

/** `*` with OPTIONS, or an absolute target whose authority is the Host (ports are not compared, as elsewhere), in origin form. */
function otherForm(head: RequestHead, host: string): string | undefined {
  if (head.target === '*') return head.method === 'OPTIONS' ? '*' : undefined;
  const [, authority = '', path = ''] = ABSOLUTE.exec(head.target) ?? [];
  if (parseHost(authority)?.host !== host) return undefined;
  if (path.startsWith('/')) return path;
  // RFC 9112 section 3.2.4: OPTIONS for a whole server, through an intermediary.
  return path === '' && head.method === 'OPTIONS' ? '*' : `/${path}`;
}

const refuse = (code: Rejection['code'], reason: string): Checked => ({ ok: false, error: { code, reason } });

const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/** Whether a request may be sent a second time after a reused connection died: idempotent (RFC 9110 section 9.2.2), no body. */
export const mayRepeat = (head: RequestHead): boolean =>
  IDEMPOTENT.has(head.method) && (head.framing === 'none' || head.length === 0);
