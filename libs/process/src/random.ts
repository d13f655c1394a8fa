import { createHash, randomBytes } from 'node:crypto';

/**
 * 128 random bits as base64url, 22 characters, always a valid id (`isId` of the model): ids begin with a letter or a
 * digit, so the two in 64 that begin with `-` or `_` are drawn again.
 */
export function randomId(): string {
  for (;;) {
    const id = randomBytes(16).toString('base64url');
    if (!id.startsWith('-') && !id.startsWith('_')) return id;
  }
}

/** Lower-case hex, 64 characters. Text is taken as UTF-8. */
export const sha256hex = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
