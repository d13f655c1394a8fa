import { QUESTION_MS } from '@sallyport/kube';
import { type Asked, isReview, pod, putPod, until } from '@sallyport/kube/testing';
import { createManualClock } from '@sallyport/process/manual-clock';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLiveLook } from './live-look.ts';
import { type KubeStage, openKubeStage } from './testing/kube-stage.ts';
import { createTokenReview } from './token-review.ts';

let stage: KubeStage;
beforeEach(async () => {
  stage = await openKubeStage();
});
afterEach(() => stage.close());

const isLook = ({ path }: Asked): boolean => path.endsWith('/pods/pod-s1');
const shape = { uid: 's1', ips: ['10.0.0.7'] };

/** Both of what gateways wait for, asked through a client that asks a real server. */
async function askers(): Promise<
  readonly [
    name: string,
    hangs: (asked: Asked) => boolean,
    ask: () => Promise<{ ok: boolean }>,
    clock: ReturnType<typeof createManualClock>,
  ][]
> {
  const clock = createManualClock();
  const { client } = await stage.connect();
  putPod(stage.api.store, 'pod-s1', shape);
  const token = stage.api.tokens.issue({
    namespace: 'default',
    serviceAccount: 'supervisor',
    pod: { name: 'pod-s1', uid: 's1' },
    audiences: ['gateway'],
  });
  const review = createTokenReview(client, { audience: 'gateway', clock, nowMs: Date.now });
  const look = createLiveLook(client, clock);
  return [
    ['review', isReview, () => review(token), clock],
    ['look', isLook, () => look.confirm(pod('s1', shape)), clock],
  ];
}

test('a review or a look that hangs is given up before the gateway does, and the next question is a new one', async () => {
  for (const [name, hangs, ask, clock] of await askers()) {
    stage.api.faults.on(hangs, { kind: 'hang' });
    const before = stage.api.requests.length;
    const first = ask();
    await until(`the ${name}`, () => stage.api.requests.length > before);
    clock.advance(QUESTION_MS);
    expect(await first).toMatchObject({ ok: false, error: { kind: 'not-ready' } });
    expect(await ask()).toMatchObject({ ok: true });
  }
});
