/** Field 2000, varint 7: what a later release might add to any message. */
const UNKNOWN_FIELD = Buffer.from([0x80, 0x7d, 0x07]);

interface Serialised {
  readonly requestSerialize: (value: never) => Buffer;
  readonly responseSerialize: (value: never) => Buffer;
}

/** A method whose messages carry a field that nobody knows, both ways. */
export const withUnknownField = <M extends Serialised>(method: M): M => ({
  ...method,
  requestSerialize: (value: never) => Buffer.concat([method.requestSerialize(value), UNKNOWN_FIELD]),
  responseSerialize: (value: never) => Buffer.concat([method.responseSerialize(value), UNKNOWN_FIELD]),
});
