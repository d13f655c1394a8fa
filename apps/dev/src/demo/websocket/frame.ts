/** The operation codes that exist (RFC 6455, section 5.2). */
export const OPCODE = { continuation: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const;

export const CLOSE = { normal: 1000, goingAway: 1001, protocol: 1002, notText: 1007, tooBig: 1009, tryLater: 1013 } as const;

/** Close, Ping and Pong are never longer, and never in fragments. */
export const CONTROL_BYTES_MAX = 125;

/** A whole frame from the server: never masked, always final. */
export function writeFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 0x1_0000 ? 4 : 10);
  head[0] = 0x80 | opcode;
  if (length < 126) {
    head[1] = length;
  } else if (length < 0x1_0000) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

export function writeClose(code: number, reason: string): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(code);
  return writeFrame(OPCODE.close, Buffer.concat([payload, Buffer.from(reason).subarray(0, CONTROL_BYTES_MAX - 2)]));
}
