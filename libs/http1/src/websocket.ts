import { FIELD, type FieldKind } from './field-kind.ts';
import type { Head, RequestHead } from './head.ts';

/** Base64 of sixteen bytes (RFC 6455 section 4.1). */
const KEY = /^[A-Za-z0-9+/]{22}==$/;

/** Connection has the token `upgrade` and the one Upgrade field is exactly `websocket`, in any case. */
export const isWebSocketUpgrade = (head: Head): boolean =>
  head.connectionUpgrade && only(head, FIELD.upgrade)?.toLowerCase() === 'websocket';

/**
 * Tells the only upgrade there is from a plain request (RFC 6455 section 4.2.1).
 *
 * `no` covers every other Upgrade, another method, HTTP/1.0 and any framing field: bytes behind such a head have a framing of
 * their own and must never become a tunnel. `malformed` is a handshake that no server may accept.
 */
export function webSocketHandshake(head: RequestHead): 'no' | 'yes' | 'malformed' {
  if (!isWebSocketUpgrade(head)) return 'no';
  if (head.method !== 'GET' || head.minor !== 1 || head.framing !== 'none') return 'no';
  const key = only(head, FIELD.webSocketKey);
  if (key === undefined || !KEY.test(key) || only(head, FIELD.webSocketVersion) === undefined) return 'malformed';
  return 'yes';
}

/** The value of a field that occurs exactly once. */
function only({ fields, kinds }: Head, kind: FieldKind): string | undefined {
  const at = kinds.indexOf(kind);
  return at === -1 || kinds.indexOf(kind, at + 1) !== -1 ? undefined : fields[2 * at + 1];
}
