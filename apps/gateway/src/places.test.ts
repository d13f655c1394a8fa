import { expect, test } from 'vitest';
import { createPlaces } from './places.ts';

test('no more run at once than there are places, and all come in turn', async () => {
  const places = createPlaces(2);
  const begun: number[] = [];
  let [running, most] = [0, 0];
  const act = (number: number) => async (): Promise<number> => {
    begun.push(number);
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    return number;
  };
  expect(await Promise.all([1, 2, 3, 4, 5].map((number) => places.run(act(number))))).toEqual([1, 2, 3, 4, 5]);
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});

test('a failure gives its place back', async () => {
  const places = createPlaces(1);
  await expect(places.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await places.run(() => Promise.resolve('yes'))).toBe('yes');
});
