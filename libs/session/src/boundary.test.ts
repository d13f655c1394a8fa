import { createScene, epoch, fencing, member, owned, runtime, SANDBOX, type Scene } from '@sallyport/authority/testing';
import type { Nonce } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { startGatewayEnd, stepGateway } from './gateway.ts';
import type { GatewayEffect, GatewayEnd, GatewayEvent } from './gateway-step.ts';
import { createConversation } from './testing/index.ts';

describe('an owner with a boundary', () => {
  test('gets a token with each lease, for the nonce of the report that it acknowledges', () => {
    const talk = createConversation();
    const presented = talk.withBoundary();
    talk.open('s0');
    talk.run(11_000);
    expect(presented.length).toBeGreaterThanOrEqual(3);
    expect(new Set(presented).size).toBe(presented.length);
    expect(presented.every((token) => token.startsWith('token for b'))).toBe(true);
  });
  test('without one no token is signed', () => {
    const talk = createConversation();
    talk.open('s0');
    talk.run(11_000);
    expect(talk.supervisor().standing.leaseUntil).toBeGreaterThan(talk.now());
    expect(talk.transcript()).not.toContain('token');
  });
  test('presents none that arrives after it let go: what is open ends unrenewed', () => {
    const talk = createConversation();
    const presented = talk.withBoundary();
    talk.open('s0');
    talk.run(3_000);
    const before = presented.length;
    talk.drain();
    talk.run(12_000);
    expect(presented).toHaveLength(before);
  });
  test('presents none for a tenure that is no more', () => {
    const talk = createConversation();
    const presented = talk.withBoundary();
    talk.open('s0');
    talk.run(3_000);
    const before = presented.length;
    talk.change((scene) => scene.owner(fencing('m0', 8, 7)));
    talk.arrive({
      kind: 'serving-lease',
      ackOfReport: 99,
      ownerEpoch: epoch(7),
      ttlMs: 15_000,
      boundaryToken: 'late',
    });
    expect(presented).toHaveLength(before);
  });
});

describe('a fence', () => {
  function bearer(change: (scene: Scene) => void = () => undefined) {
    const scene = createScene();
    scene.sandbox({ boundaryAddress: 'demo:9443' });
    const session = scene.session('m1', 's1');
    let state: GatewayEnd = startGatewayEnd(session, { advertisements: true, push: true });
    let nonces = 0;
    const step = (event: GatewayEvent): readonly GatewayEffect[] => {
      nonces += 1;
      const stepped = stepGateway(state, event, {
        now: 0 as never,
        world: scene.world,
        nonce: `n${nonces}` as Nonce,
        ageMs: 0,
        wantsRelease: false,
      });
      state = stepped.state;
      return stepped.effects.filter(({ kind }) => kind === 'fence' || kind === 'fence-answer');
    };
    change(scene);
    return { scene, step };
  }
  const fenced = (scene: Scene): void => scene.owner(fencing('m0', 8, 7));
  const answer: GatewayEvent = { kind: 'message', message: { kind: 'fence-answer', answer: new Uint8Array([7]) } };

  test('is given to the member that is to carry it, once, naming the runtime that was served', () => {
    const { step } = bearer(fenced);
    expect(step({ kind: 'world' })).toEqual([{ kind: 'fence', fence: { epoch: 8n, runtimeId: runtime('r0'), nonce: 'n1' } }]);
    expect(step({ kind: 'world' })).toEqual([]);
  });
  test('is given again with the beat, while nobody has confirmed', () => {
    const { step } = bearer(fenced);
    step({ kind: 'world' });
    expect(step({ kind: 'challenge-due' })).toMatchObject([{ kind: 'fence', fence: { epoch: 8n } }]);
  });
  test('is given for each epoch of its own', () => {
    const { scene, step } = bearer(fenced);
    step({ kind: 'world' });
    scene.owner(fencing('m0', 10, 9));
    expect(step({ kind: 'world' })).toMatchObject([{ kind: 'fence', fence: { epoch: 10n } }]);
  });
  test('is answered to the question that was asked', () => {
    const { step } = bearer(fenced);
    step({ kind: 'world' });
    expect(step(answer)).toMatchObject([
      { kind: 'fence-answer', fence: { epoch: 8n, nonce: 'n1' }, answer: new Uint8Array([7]) },
    ]);
  });

  const refusals: [title: string, change: (scene: Scene) => void][] = [
    ['while the owner owns', (scene) => scene.owner(owned('m0', 7))],
    ['without a boundary', (scene) => void [fenced(scene), scene.sandbox({ boundaryAddress: undefined })]],
    ['when another is to carry it', (scene) => void [fenced(scene), scene.member('m1', { draining: true })]],
    ['to the fenced one itself', (scene) => scene.owner(fencing('m1', 8, 7))],
  ];
  test.each(refusals)('is not given %s, and an answer counts for nothing', (_title, change) => {
    const { step } = bearer(change);
    expect([...step({ kind: 'world' }), ...step({ kind: 'challenge-due' }), ...step(answer)]).toEqual([]);
  });
  test('an answer after the sandbox went to somebody counts for nothing', () => {
    const { scene, step } = bearer(fenced);
    step({ kind: 'world' });
    scene.owner(owned('m0', 8));
    step({ kind: 'world' });
    expect(step(answer)).toEqual([]);
    expect(scene.world.owners.get(SANDBOX)?.value).toMatchObject({ by: member('m0') });
  });
});
