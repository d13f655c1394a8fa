import { expect, test } from 'vitest';
import { acceptOf, createEcho, frameHead } from './echo.ts';

test('the example of RFC 6455 section 1.3', () => {
  expect(acceptOf('dGhlIHNhbXBsZSBub25jZQ==')).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
});

const lengths = [1, 125, 126, 65_535, 65_536];
const pieces = [7, 4_096, 100_000];

test.each(lengths.flatMap((length) => pieces.map((piece) => [length, piece] as const)))(
  'a frame of %i bytes in pieces of %i comes back unmasked, and so does the one behind it',
  (length, piece) => {
    const payload = Buffer.from(Array.from({ length }, (_, index) => index % 251));
    const mask = Buffer.from([1, 2, 3, 4]);
    const head = frameHead(length, true);
    mask.copy(head, head.length - 4);
    const masked = payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
    const sent = Buffer.concat([head, masked, frameHead(length, true), payload]);
    const got: Buffer[] = [];
    const echo = createEcho((part) => got.push(Buffer.from(part)));
    for (let at = 0; at < sent.length; at += piece) echo(Buffer.from(sent.subarray(at, at + piece)));
    const one = Buffer.concat([frameHead(length, false), payload]);
    expect(Buffer.concat(got).equals(Buffer.concat([one, one]))).toBe(true);
  },
);
