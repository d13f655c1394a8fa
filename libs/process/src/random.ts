import { createHash, randomBytes } from 'node:crypto';

/** Drawn for so many ids at once: asking the system for each was 3 % of a gateway with ten thousand sandboxes. */
const IDS_EACH = 256;
const ID_BYTES = 16;
let drawn = Buffer.alloc(0);
let usedBytes = 0;

/**
 * 128 random bits as base64url, 22 characters, always a valid id (`isId` of the model): ids begin with a letter or a
 * digit, so the two in 64 that begin with `-` or `_` are drawn again.
 */
export function randomId(): string {
  for (;;) {
    if (usedBytes === drawn.length) {
      drawn = randomBytes(IDS_EACH * ID_BYTES);
      usedBytes = 0;
    }
    const id = drawn.toString('base64url', usedBytes, usedBytes + ID_BYTES);
    usedBytes += ID_BYTES;
    if (!id.startsWith('-') && !id.startsWith('_')) return id;
  }
}

/** Lower-case hex, 64 characters. Text is taken as UTF-8. */
export const sha256hex = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
