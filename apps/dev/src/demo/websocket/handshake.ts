import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** RFC 6455, section 1.3: fixed for everyone. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export type Handshake =
  | { readonly kind: 'accepted'; readonly answer: string }
  | { readonly kind: 'refused'; readonly status: 400 | 426; readonly reason: string };

/** Judges an upgrade request (RFC 6455, section 4.2.1). Extensions and subprotocols are not offered, so none is answered. */
export function shakeHands({ method, httpVersion, headers }: IncomingMessage): Handshake {
  if (method !== 'GET' || httpVersion !== '1.1') return refused(400, 'a WebSocket begins with GET over HTTP/1.1');
  if (!hasToken(headers.upgrade, 'websocket')) return refused(400, 'the Upgrade field does not say websocket');
  if (!hasToken(headers.connection, 'upgrade')) return refused(400, 'the Connection field does not say Upgrade');
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
    return refused(400, 'a handshake has no body');
  if (headers['sec-websocket-version'] !== '13') return refused(426, 'only version 13 is spoken here');
  const key = headers['sec-websocket-key'];
  if (key === undefined || !isKey(key)) return refused(400, 'Sec-WebSocket-Key is not 16 bytes in base64');
  return { kind: 'accepted', answer: acceptKey(key) };
}

export const acceptKey = (key: string): string => createHash('sha1').update(`${key}${GUID}`).digest('base64');

const refused = (status: 400 | 426, reason: string): Handshake => ({ kind: 'refused', status, reason });

const hasToken = (value: string | undefined, token: string): boolean =>
  value?.split(',').some((member) => member.trim().toLowerCase() === token) === true;

/** 16 bytes are 22 characters and two signs of padding. */
const isKey = (key: string): boolean => /^[A-Za-z0-9+/]{22}==$/.test(key) && Buffer.from(key, 'base64').length === 16;
