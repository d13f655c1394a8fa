/** ClientHellos for tests, as clients send them and as none should; every length is right unless it is given. */
export interface HelloParts {
  readonly version?: readonly number[];
  readonly sessionId?: readonly number[];
  readonly suites?: readonly number[];
  readonly methods?: readonly number[];
  /** Undefined: the hello ends without any, as old ones do. */
  readonly extensions?: readonly (readonly number[])[] | undefined;
  readonly messageType?: number;
}

export const u8 = (value: number): number[] => [value & 0xff];
export const u16 = (value: number): number[] => [(value >> 8) & 0xff, value & 0xff];
export const u24 = (value: number): number[] => [(value >> 16) & 0xff, ...u16(value)];
export const ascii = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));
const zeros = (count: number): number[] => new Array<number>(count).fill(0);

export const extension = (type: number, content: readonly number[], length = content.length): number[] => [
  ...u16(type),
  ...u16(length),
  ...content,
];
export const nameEntry = (name: string, type = 0, length = name.length): number[] => [
  ...u8(type),
  ...u16(length),
  ...ascii(name),
];
export const serverNames = (entries: readonly (readonly number[])[], length = entries.flat().length): number[] =>
  extension(0, [...u16(length), ...entries.flat()]);
export const serverName = (name: string): number[] => serverNames([nameEntry(name)]);
/** Values that mean nothing, sent so that servers stay tolerant (RFC 8701). */
export const grease = (value = 0x0a0a): number[] => extension(value, zeros(1));
export const padding = (count: number): number[] => extension(21, zeros(count));
export const versions = extension(43, [4, 0x03, 0x04, 0x03, 0x03]);
/** X25519MLKEM768 and X25519, as browsers offer them: 1,216 and 32 bytes. */
export const keyShares = (): number[] => {
  const shares = [...u16(0x11ec), ...u16(1_216), ...zeros(1_216), ...u16(0x001d), ...u16(32), ...zeros(32)];
  return extension(51, [...u16(shares.length), ...shares]);
};

/** The handshake message, without a record around it. */
export function hello(parts: HelloParts = {}): number[] {
  const { version = [3, 3], sessionId = zeros(32), suites = [0x13, 0x01, 0x13, 0x02], methods = [0], messageType = 1 } = parts;
  const extensions = 'extensions' in parts ? parts.extensions : [serverName('a.apps.test'), versions];
  const block = extensions?.flat();
  const body = [
    ...version,
    ...zeros(32),
    ...u8(sessionId.length),
    ...sessionId,
    ...u16(suites.length),
    ...suites,
    ...u8(methods.length),
    ...methods,
    ...(block === undefined ? [] : [...u16(block.length), ...block]),
  ];
  return [messageType, ...u24(body.length), ...body];
}

/** In records of at most `bytesPerRecord`. */
export function records(message: readonly number[], bytesPerRecord = 16_384, version: readonly number[] = [3, 1]): Uint8Array {
  const bytes: number[] = [];
  for (let from = 0; from < message.length; from += bytesPerRecord) {
    const part = message.slice(from, from + bytesPerRecord);
    bytes.push(22, ...version, ...u16(part.length), ...part);
  }
  return Uint8Array.from(bytes);
}
