/**
 * What this library needs from a piece of input. A Node Buffer satisfies it; nothing here knows Buffer, so that the
 * codec stays free of I/O and its tests can feed it anything.
 *
 * `B` is the concrete type (Buffer in practice): body data comes back out as `B`, a view of what was pushed, not a copy.
 */
export interface Bytes<B> {
  readonly length: number;
  readonly [index: number]: number;
  subarray(start?: number, end?: number): B;
  toString(encoding: 'latin1', start?: number, end?: number): string;
}
