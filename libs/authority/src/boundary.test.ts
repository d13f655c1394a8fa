import type { Nonce, Result } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import {
  type Boundary,
  type BoundaryClaims,
  type BoundaryRefusal,
  type FenceOrder,
  issueNonce,
  mayForward,
  mayOpen,
  obeyFence,
  presentToken,
  startBoundary,
  sweepBoundary,
} from './boundary.ts';
import { at, epoch, member, runtime, SANDBOX } from './testing/index.ts';
import { BOUNDARY_NONCES_MAX } from './timers.ts';

/** A boundary driven as its process would, with the state and the clock inside. */
function createBoundary(life = 'life-1') {
  let state: Boundary = startBoundary(runtime('r0'));
  let now = 0;
  const take = (next: Result<Boundary, BoundaryRefusal>): BoundaryRefusal | 'ok' => {
    if (next.ok) state = next.value;
    return next.ok ? 'ok' : next.error;
  };
  return {
    state: () => state,
    pass: (ms: number): void => {
      now += ms;
    },
    issue: (name: string) => take(issueNonce(state, `${life}-${name}` as Nonce, at(now))),
    present: (changes: Partial<BoundaryClaims> = {}) => take(presentToken(state, { ...token, ...changes }, at(now))),
    fence: (changes: Partial<FenceOrder> = {}) => take(obeyFence(state, { ...order, ...changes }, at(now))),
    open(of = 7, port = 8080): BoundaryRefusal | 'ok' {
      const right = mayOpen(state, epoch(of), port, at(now));
      return right.ok ? 'ok' : right.error;
    },
    forwards: (of = 7, port = 8080): boolean => mayForward(state, epoch(of), port, at(now)),
    sweep: (): void => {
      state = sweepBoundary(state, at(now));
    },
  };
}

const nonce = (text: string): Nonce => text as Nonce;
const token: BoundaryClaims = {
  sandboxId: SANDBOX,
  generation: 'gen-1' as never,
  runtimeId: runtime('r0'),
  ownerEpoch: epoch(7),
  memberId: member('m0'),
  nonce: nonce('life-1-a'),
  mode: 'shared',
  ports: [8080],
};
const order: FenceOrder = {
  sandboxId: SANDBOX,
  generation: 'gen-1' as never,
  runtimeId: runtime('r0'),
  epoch: epoch(8),
  nonce: nonce('gateway'),
};

type Given = ReturnType<typeof createBoundary>;
/** What is done in turn; wanted is what the last of it said. */
type Row = [title: string, act: (boundary: Given) => unknown[], want: BoundaryRefusal | 'ok' | boolean];
/** m0 owns at 7 and may reach 8080. */
const serving = (): Given => {
  const boundary = createBoundary();
  boundary.issue('a');
  boundary.present();
  return boundary;
};
const other = { sandboxId: 'sb-2' as typeof SANDBOX };

describe('a token', () => {
  const rows: Row[] = [
    ['opens a right', (boundary) => [boundary.present()], 'ok'],
    ['is taken again', (boundary) => [boundary.present(), boundary.present()], 'ok'],
    ['is refused for a nonce that was never issued', (boundary) => [boundary.present({ nonce: nonce('x') })], 'nonce_unknown'],
    [
      'is refused for another life of the workload',
      (boundary) => [boundary.present({ runtimeId: runtime('r1') })],
      'other_runtime',
    ],
    ['is taken a moment before 15 s', (boundary) => [boundary.pass(14_999), boundary.present()], 'ok'],
    ['is refused at 15 s', (boundary) => [boundary.pass(15_000), boundary.present()], 'nonce_expired'],
    ['of a dedicated owner is taken for 30 s', (b) => [b.pass(29_999), b.present({ mode: 'dedicated' })], 'ok'],
    ['of a dedicated owner is refused at 30 s', (b) => [b.pass(30_000), b.present({ mode: 'dedicated' })], 'nonce_expired'],
    [
      'is refused for an epoch below the highest',
      (boundary) => [boundary.present({ ownerEpoch: epoch(9) }), boundary.present()],
      'epoch_fenced',
    ],
    [
      'is refused for an epoch below a fence that came before any token',
      (boundary) => [boundary.fence(), boundary.present()],
      'epoch_fenced',
    ],
    ['of the fencing epoch itself is taken', (b) => [b.fence(), b.present({ ownerEpoch: epoch(8) })], 'ok'],
    [
      'is refused for a second owner of one epoch',
      (boundary) => [boundary.present(), boundary.present({ memberId: member('m1') })],
      'other_member',
    ],
    ['of another sandbox is refused while one lives', (b) => [b.present(), b.present(other)], 'other_sandbox'],
    [
      'from before a restore is refused while one lives',
      (boundary) => [boundary.present(), boundary.present({ generation: 'gen-0' as never })],
      'other_generation',
    ],
    [
      'of a sandbox that was registered anew is followed when the old right is over',
      (boundary) => {
        boundary.present();
        boundary.pass(10_000);
        boundary.issue('b');
        boundary.pass(5_000);
        return [boundary.present({ ...other, nonce: nonce('life-1-b'), ownerEpoch: epoch(2) })];
      },
      'ok',
    ],
    [
      'of the sandbox before is worth nothing after that',
      (boundary) => {
        boundary.present();
        boundary.pass(10_000);
        boundary.issue('b');
        boundary.issue('c');
        boundary.pass(5_000);
        boundary.present({ ...other, nonce: nonce('life-1-b'), ownerEpoch: epoch(2) });
        boundary.pass(11_000);
        return [boundary.present({ nonce: nonce('life-1-c'), ownerEpoch: epoch(12), mode: 'dedicated' })];
      },
      'nonce_unknown',
    ],
  ];
  test.each(rows)('%s', (_title, act, want) => {
    const boundary = createBoundary();
    boundary.issue('a');
    expect(act(boundary).at(-1)).toBe(want);
  });

  test('T16: of an earlier life of the boundary is void, whatever epoch this life has seen', () => {
    const before = createBoundary('life-1');
    before.issue('a');
    expect(before.present({ ownerEpoch: epoch(7) })).toBe('ok');
    const restarted = createBoundary('life-2');
    restarted.issue('a');
    expect(restarted.state().highestEpoch).toBe(0n);
    expect(restarted.present({ ownerEpoch: epoch(7) })).toBe('nonce_unknown');
    expect(restarted.open()).toBe('no_right');
  });
});

describe('a connection', () => {
  const rows: Row[] = [
    ['is opened to a declared port', (boundary) => [boundary.open()], 'ok'],
    ['is refused to a port that is not declared', (boundary) => [boundary.open(7, 22)], 'port_not_declared'],
    ['is refused under an epoch without a right', (boundary) => [boundary.open(8)], 'no_right'],
    ['is refused at the end of the right', (boundary) => [boundary.pass(15_000), boundary.open()], 'nonce_expired'],
    ['carries a chunk a moment before the end', (boundary) => [boundary.pass(14_999), boundary.forwards()], true],
    ['carries nothing at the end', (boundary) => [boundary.pass(15_000), boundary.forwards()], false],
    [
      'goes on when the right is prolonged',
      (b) => {
        b.pass(5_000);
        b.issue('b');
        b.pass(9_000);
        b.present({ nonce: nonce('life-1-b') });
        b.pass(5_999);
        return [b.forwards()];
      },
      true,
    ],
    ['is not cut short by an old token that comes late', (b) => [b.present({ ports: [] }), b.forwards()], true],
    [
      'lasts as long as the longest word about it, though that one’s nonce is the older',
      (b) => {
        b.pass(1_000);
        b.issue('b');
        b.present({ nonce: nonce('life-1-b') });
        b.present({ mode: 'dedicated' });
        b.pass(28_999 - 1);
        return [b.forwards()];
      },
      true,
    ],
    [
      'is opened as the newest word says, though that one ends earlier',
      (b) => {
        b.present({ mode: 'dedicated' });
        b.issue('b');
        b.pass(1);
        b.issue('c');
        b.present({ nonce: nonce('life-1-c'), ports: [9090] });
        return [b.open(7, 9090)];
      },
      'ok',
    ],
    [
      'ends when its port is declared no more',
      (b) => [b.issue('b'), b.pass(1), b.issue('c'), b.present({ nonce: nonce('life-1-c'), ports: [] }), b.forwards()],
      false,
    ],
    ['ends at once by a fence', (boundary) => [boundary.fence(), boundary.forwards()], false],
    ['is refused after a fence', (boundary) => [boundary.fence(), boundary.open()], 'epoch_fenced'],
    ['of the fencing epoch survives the fence that is told again', (b) => [b.fence({ epoch: epoch(7) }), b.forwards()], true],
    ['survives a fence for another runtime', (b) => [b.fence({ runtimeId: runtime('r1') }), b.forwards()], true],
    ['survives the fence of another sandbox', (b) => [b.fence(other), b.forwards()], true],
  ];
  test.each(rows)('%s', (_title, act, want) => expect(act(serving()).at(-1)).toBe(want));

  test('after a graceful change what is open lasts, at most 15 s, and nothing more is opened', () => {
    const boundary = createBoundary();
    boundary.issue('a');
    boundary.present({ mode: 'dedicated' });
    boundary.present({ ownerEpoch: epoch(9), memberId: member('m1') });
    expect([boundary.open(7), boundary.forwards(7)]).toEqual(['epoch_fenced', true]);
    boundary.pass(14_999);
    expect(boundary.forwards(7)).toBe(true);
    boundary.pass(1);
    expect(boundary.forwards(7)).toBe(false);
  });
  test('after a graceful change a fence still ends what is open', () => {
    const boundary = serving();
    boundary.present({ ownerEpoch: epoch(9), memberId: member('m1') });
    boundary.fence({ epoch: epoch(10) });
    expect([boundary.forwards(7), boundary.forwards(9)]).toEqual([false, false]);
  });
});

describe('a fence', () => {
  const rows: Row[] = [
    ['is confirmed', (boundary) => [boundary.fence()], 'ok'],
    ['is confirmed again', (boundary) => [boundary.fence(), boundary.fence()], 'ok'],
    ['T17: is not confirmed for another life of the workload', (b) => [b.fence({ runtimeId: runtime('r1') })], 'other_runtime'],
    ['is not confirmed for another sandbox', (boundary) => [boundary.fence(other)], 'other_sandbox'],
    ['is not confirmed from before a restore', (b) => [b.fence({ generation: 'gen-0' as never })], 'other_generation'],
  ];
  test.each(rows)('%s', (_title, act, want) => expect(act(serving()).at(-1)).toBe(want));

  test('never lowers what is known', () => {
    const boundary = serving();
    boundary.fence({ epoch: epoch(20) });
    boundary.fence({ epoch: epoch(9) });
    expect(boundary.state().highestEpoch).toBe(20n);
  });
});

test('nonces are bounded: at the limit none is issued, and none that lives is forgotten', () => {
  const boundary = createBoundary();
  for (let count = 0; count < BOUNDARY_NONCES_MAX; count += 1) expect(boundary.issue(`n${count}`)).toBe('ok');
  expect(boundary.issue('more')).toBe('too_many_nonces');
  expect(boundary.present({ nonce: nonce('life-1-n0') })).toBe('ok');
  boundary.pass(30_000);
  expect(boundary.issue('more')).toBe('ok');
});

test('what has ended is forgotten, the highest epoch is not', () => {
  const boundary = serving();
  boundary.pass(15_000);
  boundary.sweep();
  expect([boundary.state().rights.size, boundary.state().highestEpoch]).toEqual([0, 7n]);
});
