/**
 * Why we refuse what another reader may take. The list is closed: a difference that none of these explains is a fault,
 * of the codec or of this list.
 */
export const RULES = {
  'first-line':
    'the first line is method, one blank, target, one blank, version (or a status line), after at most two empty lines',
  version: 'HTTP/1.0 and HTTP/1.1 are all the versions there are',
  target: 'the target is a path, `*` with OPTIONS, or an absolute URI of this very host',
  connect: 'no CONNECT',
  'line-end': 'a line of a head or a trailer section ends in CR LF, and neither stands alone',
  'control-byte': 'no control byte but the tab in a field value',
  'field-line': 'a field is a token, a colon directly behind it, a value',
  'obs-fold': 'no field line begins with a blank',
  'host-count': 'exactly one Host, in HTTP/1.0 too',
  'host-form':
    'Host is labels of letters, digits, - and _ with dots between, or an address, then perhaps a port of one to five digits',
  'host-mismatch': 'Host is the server name of the TLS connection',
  'length-and-coding': 'never both Content-Length and Transfer-Encoding',
  coding: 'Transfer-Encoding is `chunked`, once, and not in HTTP/1.0',
  'content-length': 'one Content-Length of one to sixteen digits',
  'chunk-size': 'a chunk size is hexadecimal digits, at most sixteen, and nothing beside them',
  'chunk-end': 'exactly CR LF behind the data of a chunk',
  'chunk-extension': 'a chunk extension has no control byte and at most 1,024 bytes',
  upgrade: 'a WebSocket handshake has its key and version; no 101 that was not asked for',
  close: '`close` in Connection ends the connection, whatever else it says, and HTTP/1.0 lives on only by `keep-alive`',
  size: 'at most 32 KB and 128 fields of head, 8 KB and 64 fields of trailers, 32 interim answers',
} as const;

export type Rule = keyof typeof RULES;

/** What every refusal by a rule may be called towards the client. */
export const CODES: Readonly<Record<Rule, readonly string[]>> = {
  'first-line': ['bad_request'],
  // Or the head is hopeless before it is whole, and its lines are never read: that depends on how it is cut.
  version: ['version_refused', 'bad_request'],
  target: ['bad_request'],
  connect: ['method_refused'],
  // Each line before it is judged as well, and one of them may have been worse.
  'line-end': ['bad_request', 'version_refused', 'headers_too_large'],
  'control-byte': ['bad_request'],
  'field-line': ['bad_request'],
  'obs-fold': ['bad_request'],
  'host-count': ['bad_request'],
  'host-form': ['bad_request'],
  'host-mismatch': ['route_unknown', 'host_mismatch'],
  'length-and-coding': ['bad_request'],
  coding: ['bad_request', 'coding_refused'],
  'content-length': ['bad_request'],
  'chunk-size': ['bad_request'],
  'chunk-end': ['bad_request'],
  'chunk-extension': ['bad_request'],
  upgrade: ['bad_request'],
  close: [],
  size: ['headers_too_large', 'bad_request'],
};

/** The limits of the listener, as its documentation states them; written down here again so that one side cannot move both. */
export const HEAD_BYTES_MAX = 32_768;
export const HEAD_FIELDS_MAX = 128;
export const TRAILER_BYTES_MAX = 8_192;
export const TRAILER_FIELDS_MAX = 64;
export const EXTENSION_BYTES_MAX = 1_024;
export const INTERIM_MAX = 32;
