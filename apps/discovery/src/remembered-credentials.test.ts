import { err, failure, ok } from '@sallyport/model';
import { expect, test } from 'vitest';
import { REMEMBERED_MAX, REMEMBERED_MS, rememberedCredentials } from './remembered-credentials.ts';

function stage() {
  const asked: string[] = [];
  let [nowMs, unixMs] = [0, 1_000_000];
  let holds = true;
  const verify = rememberedCredentials(
    async (token) => {
      asked.push(token);
      if (!holds) return err(failure('unauthenticated', 'no'));
      return ok({ principal: token, workspaces: 'all' as const, needsGrant: true, expiresAtUnixMs: 1_002_000 });
    },
    { nowMs: () => nowMs, unixMs: () => unixMs },
  );
  return {
    verify,
    asked,
    pass(ms: number, wallMs = 0) {
      nowMs += ms;
      unixMs += wallMs;
    },
    breaks() {
      holds = false;
    },
  };
}

test('a credential that holds is verified once, also by many at the same time', async () => {
  const { verify, asked, pass } = stage();
  const both = await Promise.all([verify('a'), verify('a')]);
  pass(REMEMBERED_MS - 1);
  expect([...both, await verify('a')].map(({ ok }) => ok)).toEqual([true, true, true]);
  expect(asked).toEqual(['a']);
});

test('one of another is verified by itself', async () => {
  const { verify, asked } = stage();
  await verify('a');
  await verify('b');
  expect(asked).toEqual(['a', 'b']);
});

test('a key that is taken away counts when the time is over', async () => {
  const { verify, pass, breaks } = stage();
  await verify('a');
  breaks();
  pass(REMEMBERED_MS);
  expect((await verify('a')).ok).toBe(false);
});

test('one that has run out meanwhile is not taken, however lately it was verified', async () => {
  const { verify, pass, breaks } = stage();
  await verify('a');
  breaks();
  pass(0, 2_000);
  expect((await verify('a')).ok).toBe(false);
});

test('one that does not hold is verified again', async () => {
  const { verify, asked, breaks } = stage();
  breaks();
  await verify('a');
  await verify('a');
  expect(asked).toEqual(['a', 'a']);
});

test('a verifier that fails is asked again', async () => {
  let count = 0;
  const verify = rememberedCredentials(
    async () => {
      count += 1;
      throw new Error('no keys');
    },
    { nowMs: () => 0, unixMs: () => 0 },
  );
  await expect(verify('a')).rejects.toThrow('no keys');
  await expect(verify('a')).rejects.toThrow('no keys');
  expect(count).toBe(2);
});

test('no more are remembered than there may be', async () => {
  const { verify, asked } = stage();
  await verify('first');
  for (let index = 0; index < REMEMBERED_MAX; index += 1) await verify(`t${index}`);
  await verify('first');
  expect(asked.filter((token) => token === 'first')).toHaveLength(2);
});
