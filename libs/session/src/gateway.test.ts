import { LEASE_MS } from '@sallyport/authority';
import { at, createScene, epoch, gateway, offered, owned, type Scene, service } from '@sallyport/authority/testing';
import type { ConfigRevision, Nonce } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { renewalOf, startGatewayEnd, stepGateway } from './gateway.ts';
import type { Evidence, GatewayEnd, GatewayEvent } from './gateway-step.ts';
import type { SupervisorMessage } from './messages.ts';
import { spell } from './testing/index.ts';

/** One end alone, at an instant of the test's own; what it does is read as lines. */
function createEnd(scene: Scene, capabilities = { advertisements: true, push: true }) {
  let state: GatewayEnd = startGatewayEnd(scene.session('m0', 's0'), capabilities);
  let nonces = 0;
  const end = {
    ageMs: 0 as number | undefined,
    now: 0,
    wantsRelease: false,
    state: () => state,
    step(event: GatewayEvent): string[] {
      nonces += 1;
      const { ageMs, now, wantsRelease } = end;
      const stepped = stepGateway(state, event, {
        now: at(now),
        world: scene.world,
        nonce: `n${nonces}` as Nonce,
        ageMs,
        wantsRelease,
      });
      state = stepped.state;
      return stepped.effects.map((effect) => {
        if (effect.kind === 'send') return spell(effect.message);
        if (effect.kind === 'refused' || effect.kind === 'end') return `${effect.kind}: ${effect.clause}`;
        return effect.kind;
      });
    },
    hear: (message: SupervisorMessage) => end.step({ kind: 'message', message }),
    open: () => end.step({ kind: 'opened', gatewayId: gateway('g0') }),
    applied: (revision: bigint, under = 7) =>
      end.hear({ kind: 'applied', revision: revision as ConfigRevision, hash: hashOf(revision), ownerEpoch: epoch(under) }),
    /** Answers the newest challenge. */
    report(changes: Parameters<Scene['report']>[0] = {}): string[] {
      const asked = state.challenges.open.at(-1);
      if (asked === undefined) throw new Error('nothing was asked');
      const { nonce, sequence } = asked;
      return end.hear({ kind: 'report', nonce, sequence, report: scene.report(changes), boundaryNonce: undefined });
    },
  };
  return end;
}

const hashOf = (revision: bigint): string => revision.toString(16).padStart(64, '0');

function serving(scene = createScene()) {
  const end = createEnd(scene);
  end.open();
  end.applied(1n);
  return end;
}

const evidenceOf = (end: ReturnType<typeof createEnd>, scene: Scene, sequence: number): Evidence => ({
  report: scene.report(),
  sequence,
  challengeSentAt: at(end.now),
  boundaryNonce: undefined,
});

test('what a report proves counts from its question, however late it comes', () => {
  const scene = createScene();
  const published: Evidence[] = [];
  let state = startGatewayEnd(scene.session('m0', 's0'), { advertisements: true, push: true });
  const step = (event: GatewayEvent, now: number): void => {
    const around = { now: at(now), world: scene.world, nonce: 'n1' as Nonce, ageMs: 0, wantsRelease: false };
    const stepped = stepGateway(state, event, around);
    state = stepped.state;
    for (const effect of stepped.effects) if (effect.kind === 'publish') published.push(effect.evidence);
  };
  step({ kind: 'opened', gatewayId: gateway('g0') }, 1_000);
  const report = { kind: 'report' as const, nonce: 'n1' as Nonce, sequence: 1, report: scene.report(), boundaryNonce: undefined };
  step({ kind: 'message', message: report }, 9_000);
  expect(published.map(({ challengeSentAt }) => challengeSentAt)).toEqual([1_000]);
});

describe('configuration', () => {
  test('is pushed once; an answer to it, or to something newer, makes way for the next', () => {
    const scene = createScene();
    const end = createEnd(scene);
    expect(end.open()).toEqual(['accepted s0', 'ownership owned 7', 'configuration 1', 'challenge 1']);
    scene.config(2n);
    expect(end.step({ kind: 'world' })).toEqual([]);
    expect(end.applied(1n)).toContain('configuration 2');
    scene.config(3n);
    // It had 3 already, from another gateway, and says so: nothing is in flight any more, and nothing is older than it.
    expect(end.applied(3n)).not.toContain('configuration 3');
    scene.config(4n);
    expect(end.step({ kind: 'world' })).toEqual(['configuration 4']);
  });
  test('in flight stays so when the answer is about an older one', () => {
    const scene = createScene();
    scene.config(2n);
    const end = createEnd(scene);
    expect(end.open()).toContain('configuration 2');
    expect(end.applied(1n)).not.toContain('configuration 2');
    expect(end.step({ kind: 'world' })).toEqual([]);
  });
  test('that the supervisor is ahead of is not pushed', () => {
    const end = createEnd(createScene());
    end.open();
    expect(end.applied(9n)).not.toContain('configuration 1');
    expect(end.step({ kind: 'world' })).toEqual([]);
  });
  test('is not pushed to those who poll', () => {
    const end = createEnd(createScene(), { advertisements: true, push: false });
    expect(end.open()).toEqual(['accepted s0', 'ownership owned 7', 'challenge 1']);
  });
});

describe('ownership is told', () => {
  test('also where only its epoch has moved: the view may have missed what was between', () => {
    const scene = createScene();
    const end = serving(scene);
    expect(end.step({ kind: 'world' })).toEqual([]);
    scene.owner(owned('m0', 9));
    expect(end.step({ kind: 'world' })).toContain('ownership owned 9');
  });
  test('to nobody whose session was over before it began: nothing follows the end', () => {
    const scene = createScene();
    const end = createEnd(scene);
    scene.session('m0', 's9');
    expect(end.open()).toEqual(['accepted s0', 'end: session']);
  });
});

describe('a sign of life', () => {
  const rejecting = (scene: Scene) => {
    const end = createEnd(scene);
    end.open();
    const [revision, hash] = [1n as ConfigRevision, hashOf(1n)];
    end.hear({ kind: 'rejected', revision, hash, ownerEpoch: epoch(7), reason: 'no such port' });
    end.now = 2_000;
    return end;
  };
  test('is the report of one that rejects the configuration: any other member would', () => {
    const end = rejecting(createScene());
    expect([end.report({ routes: [] }), end.state().lastGoodReportAt]).toEqual([['refused: routes'], 2_000]);
  });
  test('is not what is refused for another reason', () => {
    const end = rejecting(createScene());
    const before = end.state().lastGoodReportAt;
    expect([end.report({ routes: [], ready: false }), end.state().lastGoodReportAt]).toEqual([['refused: ready'], before]);
  });
});

test('a vector that carried what is leased already says nothing more, not even that it would be refused now', () => {
  const scene = createScene();
  const end = serving(scene);
  const evidence = evidenceOf(end, scene, 1);
  expect(end.step({ kind: 'published', evidence, byCommit: true })).toEqual(['serving-lease for report 1 of 7']);
  scene.owner(owned('m1', 9));
  expect(end.step({ kind: 'renewed', evidence })).toEqual([]);
});

describe('ownership is acknowledged', () => {
  const rows: [title: string, answer: (end: ReturnType<typeof createEnd>) => string[], want: boolean][] = [
    ['by an Applied that names the offer', (end) => end.applied(1n, 8), true],
    [
      'by a Rejected that names it',
      (end) => end.hear({ kind: 'rejected', revision: 1n as ConfigRevision, hash: '', ownerEpoch: epoch(8), reason: 'no' }),
      true,
    ],
    ['not by an answer from before the offer', (end) => end.applied(1n, 0), false],
    ['not by one that names an earlier offer', (end) => end.applied(1n, 7), false],
  ];
  test.each(rows)('%s', (_title, answer, want) => {
    const scene = createScene();
    scene.owner(offered('m0', 8));
    const end = createEnd(scene);
    end.open();
    expect(answer(end).includes('acknowledge')).toBe(want);
    // The write may be lost: it is said again while it is wanted.
    expect(end.step({ kind: 'challenge-due' }).includes('acknowledge')).toBe(want);
    scene.owner(owned('m0', 8));
    end.step({ kind: 'world' });
    expect(end.step({ kind: 'challenge-due' })).not.toContain('acknowledge');
  });
});

describe('a heartbeat is answered', () => {
  const beat = { kind: 'heartbeat', sequence: 1 } as const;
  test('with the age of the view, rounded up', () => {
    const end = serving();
    end.ageMs = 1_234.2;
    expect(end.hear(beat)).toEqual(['heartbeat-ack 1 age 1235']);
  });
  test('not without authority', () => {
    const end = serving();
    end.ageMs = undefined;
    expect(end.hear(beat)).toEqual([]);
  });
  test('behind a push of the newest configuration: it arrives after it', () => {
    const end = createEnd(createScene());
    end.open();
    expect(end.hear(beat)).toEqual(['heartbeat-ack 1 age 0']);
  });
  test('not while a newer one waits behind the push: the answer comes with it, and says its own age', () => {
    const scene = createScene();
    const end = serving(scene);
    scene.config(2n);
    end.step({ kind: 'world' });
    scene.config(3n);
    end.step({ kind: 'world' });
    expect(end.hear(beat)).toEqual([]);
    end.ageMs = 40;
    expect(end.applied(2n)).toEqual(['answered', 'configuration 3', 'heartbeat-ack 1 age 40', 'challenge 3']);
  });
  test('not before a member that polls has what is declared', () => {
    const end = createEnd(createScene(), { advertisements: false, push: false });
    end.open();
    expect(end.hear(beat)).toEqual([]);
    expect(end.applied(1n)).toEqual(['answered', 'heartbeat-ack 1 age 0']);
  });
  test('once', () => {
    const end = serving();
    end.hear(beat);
    expect(end.applied(1n)).not.toContain('heartbeat-ack 1 age 0');
  });
});

describe('a report', () => {
  test('that stands is published; its lease leaves on the commit, which is the proof', () => {
    const scene = createScene();
    const end = serving(scene);
    expect(end.report()).toEqual(['publish']);
    expect(end.step({ kind: 'published', evidence: evidenceOf(end, scene, 2), byCommit: true })).toEqual([
      'serving-lease for report 2 of 7',
    ]);
  });
  test('whose installation stands already waits for its vector', () => {
    const scene = createScene();
    const end = serving(scene);
    const evidence = evidenceOf(end, scene, 2);
    expect(end.step({ kind: 'published', evidence, byCommit: false })).toEqual([]);
    expect(end.step({ kind: 'renewed', evidence })).toEqual(['serving-lease for report 2 of 7']);
    expect(end.step({ kind: 'renewed', evidence })).toEqual([]);
  });
  test('is judged again at the echo, and leased only if it still stands (T1)', () => {
    const scene = createScene();
    const end = serving(scene);
    const evidence = evidenceOf(end, scene, 2);
    end.step({ kind: 'published', evidence, byCommit: false });
    scene.owner(owned('m1', 9));
    expect(end.step({ kind: 'renewed', evidence })).toEqual(['refused: owner']);
  });
  test('is leased by nobody without authority', () => {
    const scene = createScene();
    const end = serving(scene);
    const evidence = evidenceOf(end, scene, 2);
    end.ageMs = undefined;
    expect(end.step({ kind: 'published', evidence, byCommit: true })).toEqual([]);
    expect(end.step({ kind: 'renewed', evidence })).toEqual([]);
  });
  test('older than one that was leased adds nothing', () => {
    const scene = createScene();
    const end = serving(scene);
    end.step({ kind: 'published', evidence: evidenceOf(end, scene, 5), byCommit: true });
    expect(end.step({ kind: 'published', evidence: evidenceOf(end, scene, 4), byCommit: true })).toEqual([]);
    expect(end.state().evidence?.sequence).toBe(5);
  });
  test('rides on a vector while its challenge lives and it still stands', () => {
    const scene = createScene();
    const end = serving(scene);
    expect(renewalOf(end.state(), scene.world, at(0))).toBeUndefined();
    end.step({ kind: 'published', evidence: evidenceOf(end, scene, 2), byCommit: false });
    expect(renewalOf(end.state(), scene.world, at(4_000.5))?.renewal).toEqual({
      sessionId: 's0',
      reportSequence: 2,
      remainingMs: LEASE_MS - 4_001,
    });
    expect(renewalOf(end.state(), scene.world, at(LEASE_MS))).toBeUndefined();
    scene.credential(2n);
    expect(renewalOf(end.state(), scene.world, at(1_000))).toBeUndefined();
  });

  const refused: [title: string, act: (end: ReturnType<typeof createEnd>, scene: Scene) => string[], want: string[]][] = [
    [
      'to a challenge that is dead',
      (end) => {
        end.now = LEASE_MS;
        return end.report();
      },
      ['refused: challenge_dead'],
    ],
    [
      'twice',
      (end) => {
        const asked = end.state().challenges.open.at(-1) as { nonce: Nonce; sequence: number };
        end.report();
        return end.hear({ kind: 'report', ...asked, report: createScene().report(), boundaryNonce: undefined });
      },
      ['refused: nonce_unknown'],
    ],
    [
      'about an older configuration',
      (end, scene) => {
        const older = scene.report();
        scene.config(2n);
        return end.report(older);
      },
      ['refused: configuration'],
    ],
  ];
  test.each(refused)('is refused %s', (_title, act, want) => {
    const scene = createScene();
    expect(act(serving(scene), scene)).toEqual(want);
  });
});

describe('signs of life', () => {
  const lastAt = (end: ReturnType<typeof createEnd>): number => end.state().lastGoodReportAt;
  test('an accepted report is one', () => {
    const end = serving();
    end.now = 700;
    end.report();
    expect(lastAt(end)).toBe(700);
  });
  test('so is one without its routes by a supervisor that rejected them: another would do the same', () => {
    const scene = createScene();
    const end = createEnd(scene);
    end.open();
    end.hear({ kind: 'rejected', revision: 1n as ConfigRevision, hash: hashOf(1n), ownerEpoch: epoch(7), reason: 'no' });
    end.now = 700;
    expect(end.report({ routes: [] })).toEqual(['refused: routes']);
    expect(lastAt(end)).toBe(700);
    expect(end.state().evidence).toBeUndefined();
  });
  test.each([
    ['routes that it applied and does not have', { routes: [] }],
    ['another configuration', { configHash: 'f'.repeat(64) }],
    ['a process that is not ready', { ready: false }],
  ])('a report of %s is none', (_title, changes) => {
    const end = serving();
    end.report(changes);
    expect(lastAt(end)).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe('a drain', () => {
  test('asks the owner, again at each tick, and names its epoch', () => {
    const end = serving();
    end.wantsRelease = true;
    expect(end.step({ kind: 'world' })).toEqual(['release 7']);
    expect(end.step({ kind: 'challenge-due' })).toContain('release 7');
  });
  test('does not ask one to which it is only offered', () => {
    const scene = createScene();
    scene.owner(offered('m0', 8));
    const end = createEnd(scene);
    end.wantsRelease = true;
    expect(end.open()).not.toContain('release 8');
  });
});

test('what is not for this member tells it nothing new', () => {
  const scene = createScene();
  const end = serving(scene);
  scene.member('m1', { draining: true });
  scene.session('m1', 's9');
  scene.config(1n, [service('web', 8080)]);
  expect(end.step({ kind: 'world' })).toEqual([]);
});
