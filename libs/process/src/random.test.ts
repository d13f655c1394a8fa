import { isId } from '@sallyport/model';
import { expect, test } from 'vitest';
import { randomId, sha256hex } from './random.ts';

test('random ids are valid ids and differ', () => {
  const ids = Array.from({ length: 5_000 }, randomId);
  expect(ids.filter((id) => !isId(id) || id.length !== 22)).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});
test('digests text as UTF-8, as bytes', () => {
  expect(sha256hex('é')).toBe(sha256hex(new TextEncoder().encode('é')));
  expect(sha256hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});
