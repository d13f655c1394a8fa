import { createHash } from 'node:crypto';

/** RFC 6455 section 4.2.2. */
export const acceptOf = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');

const MASKED = 0x80;
const BINARY_FINAL = 0x82;

/** A frame's head for `length` bytes of payload (RFC 6455 section 5.2), with an all-zero mask from clients. */
export function frameHead(length: number, masked: boolean): Buffer {
  const bit = masked ? MASKED : 0;
  const mask = masked ? [0, 0, 0, 0] : [];
  if (length < 126) return Buffer.from([BINARY_FINAL, bit | length, ...mask]);
  if (length < 65_536) return Buffer.from([BINARY_FINAL, bit | 126, length >> 8, length & 0xff, ...mask]);
  const head = Buffer.from([BINARY_FINAL, bit | 127, 0, 0, 0, 0, 0, 0, 0, 0, ...mask]);
  head.writeUInt32BE(length, 6);
  return head;
}

/** Sends each masked frame back unmasked, as its pieces come. A mask of zeros, which our own client sends, costs nothing. */
export function createEcho(send: (part: Buffer) => void): (chunk: Buffer) => void {
  let waiting: Buffer = Buffer.alloc(0);
  let left = 0;
  let at = 0;
  let mask: Buffer = Buffer.alloc(4);
  let isMasked = false;

  /** The next piece of the payload, unmasked. */
  function take(): Buffer {
    const part = waiting.subarray(0, left);
    waiting = waiting.subarray(part.length);
    left -= part.length;
    if (isMasked) for (let i = 0; i < part.length; i++) part[i] = (part[i] ?? 0) ^ (mask[at++ & 3] ?? 0);
    return part;
  }

  /** False if the head is not whole. */
  function begin(): boolean {
    const short = (waiting[1] ?? 0) & 0x7f;
    const headBytes = (short < 126 ? 2 : short === 126 ? 4 : 10) + 4;
    if (waiting.length < Math.max(2, headBytes)) return false;
    left = short < 126 ? short : short === 126 ? waiting.readUInt16BE(2) : waiting.readUInt32BE(6);
    mask = Buffer.from(waiting.subarray(headBytes - 4, headBytes));
    isMasked = mask.readUInt32BE(0) !== 0;
    at = 0;
    waiting = waiting.subarray(headBytes);
    const head = frameHead(left, false);
    send(Buffer.concat([head, take()]));
    return true;
  }

  return (chunk) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    while (waiting.length > 0) {
      if (left > 0) send(take());
      else if (!begin()) return;
    }
  };
}
