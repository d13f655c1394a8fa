import { CLOSE, CONTROL_BYTES_MAX, OPCODE } from './frame.ts';

export interface Frame {
  readonly final: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
}

/** What the peer may not do, as the Close that tells it so. */
export interface Violation {
  readonly code: number;
  readonly reason: string;
}

/** Bytes in, whole unmasked frames out. After a violation the reader is finished: where the next frame begins is unknown. */
export interface FrameReader {
  read(bytes: Buffer): Violation | undefined;
}

interface FrameHead {
  readonly final: boolean;
  readonly opcode: number;
  readonly length: number;
  readonly mask: Buffer;
}

const HEAD_BYTES_MAX = 14;

export function createFrameReader(payloadBytesMax: number, deliver: (frame: Frame) => Violation | undefined): FrameReader {
  const headBytes = Buffer.alloc(HEAD_BYTES_MAX);
  let headFilled = 0;
  let head: FrameHead | undefined;
  // Of the stated length, which is bounded before: frames that come byte by byte are not copied again and again.
  let payload = Buffer.alloc(0);
  let payloadFilled = 0;

  function finish({ final, opcode, mask }: FrameHead): Violation | undefined {
    for (let i = 0; i < payload.length; i++) payload[i] = (payload[i] as number) ^ (mask[i & 3] as number);
    const frame = { final, opcode, payload };
    head = undefined;
    headFilled = 0;
    return deliver(frame);
  }

  return {
    read(bytes) {
      let at = 0;
      while (at < bytes.length) {
        if (head === undefined) {
          headBytes[headFilled] = bytes[at] as number;
          headFilled += 1;
          at += 1;
          const early = headFilled === 2 ? judgeFirstTwo(headBytes) : undefined;
          if (early !== undefined) return early;
          if (headFilled < 2 || headFilled < headLength(headBytes)) continue;
          const length = payloadLength(headBytes);
          if (length === undefined) return { code: CLOSE.protocol, reason: 'a length is not written in its shortest form' };
          if (length > payloadBytesMax) return { code: CLOSE.tooBig, reason: `a message has at most ${payloadBytesMax} bytes` };
          head = headOf(headBytes, headFilled, Number(length));
          payload = Buffer.alloc(head.length);
          payloadFilled = 0;
        } else {
          const taken = bytes.copy(payload, payloadFilled, at, at + payload.length - payloadFilled);
          payloadFilled += taken;
          at += taken;
        }
        const violation = payloadFilled === payload.length ? finish(head) : undefined;
        if (violation !== undefined) return violation;
      }
      return undefined;
    },
  };
}

/** Whatever two bytes can tell is refused before any more are awaited. */
function judgeFirstTwo(bytes: Buffer): Violation | undefined {
  const [first = 0, second = 0] = bytes;
  const opcode = first & 0x0f;
  if ((first & 0x70) !== 0) return { code: CLOSE.protocol, reason: 'no extension was agreed on' };
  if (!KNOWN.has(opcode)) return { code: CLOSE.protocol, reason: 'this operation does not exist' };
  if ((second & 0x80) === 0) return { code: CLOSE.protocol, reason: 'a client masks its frames' };
  if (opcode < OPCODE.close) return undefined;
  if ((first & 0x80) === 0) return { code: CLOSE.protocol, reason: 'a control frame has no fragments' };
  if ((second & 0x7f) > CONTROL_BYTES_MAX) return { code: CLOSE.protocol, reason: 'a control frame has at most 125 bytes' };
  return undefined;
}

const KNOWN: ReadonlySet<number> = new Set(Object.values(OPCODE));

const extendedLength = (bytes: Buffer): 0 | 2 | 8 => {
  const short = (bytes[1] as number) & 0x7f;
  return short === 126 ? 2 : short === 127 ? 8 : 0;
};

const headLength = (bytes: Buffer): number => 2 + extendedLength(bytes) + 4;

/** Undefined when it was not written in the fewest bytes (section 5.2). */
function payloadLength(bytes: Buffer): bigint | undefined {
  switch (extendedLength(bytes)) {
    case 0:
      return BigInt((bytes[1] as number) & 0x7f);
    case 2: {
      const length = bytes.readUInt16BE(2);
      return length < 126 ? undefined : BigInt(length);
    }
    case 8: {
      const length = bytes.readBigUInt64BE(2);
      return length < 0x1_0000n || length >> 63n === 1n ? undefined : length;
    }
  }
}

function headOf(bytes: Buffer, filled: number, length: number): FrameHead {
  const first = bytes[0] as number;
  return { final: (first & 0x80) !== 0, opcode: first & 0x0f, length, mask: Buffer.from(bytes.subarray(filled - 4, filled)) };
}
