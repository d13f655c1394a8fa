/** Which rule looks at a field. Decided once, when the head is read, so that no later rule compares names again. */
export const FIELD = {
  /** End to end and of no interest to us: passes as it is. */
  plain: 0,
  host: 1,
  contentLength: 2,
  transferEncoding: 3,
  connection: 4,
  upgrade: 5,
  te: 6,
  trailer: 7,
  expect: 8,
  /** Keep-Alive, Proxy-Connection and the like: for this connection only, whether Connection names them or not. */
  hopByHop: 9,
  forwardedFor: 10,
  /** Other fields that say where a request came from, in any spelling an application could take for them. */
  forwarded: 11,
  /** `sallyport-…`: ours to set, nobody else's. */
  ours: 12,
  origin: 13,
  accept: 14,
  setCookie: 15,
  webSocketKey: 16,
  webSocketVersion: 17,
} as const;

export type FieldKind = (typeof FIELD)[keyof typeof FIELD];
