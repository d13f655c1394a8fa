import { expect, test } from 'vitest';
import { createReplicas } from './testing/replicas.ts';

test('the first gateway begins the generation of a store, and no other begins it again', async () => {
  const stage = createReplicas();
  const first = await stage.start();
  await stage.until('a generation', () => first.world.generation !== undefined);
  const begun = first.world.generation;
  const second = await stage.start();
  await stage.clock.advanceAsync(10_000);
  expect([first.world.generation, second.world.generation]).toEqual([begun, begun]);
});
