import { describe, expect, test } from 'vitest';
import { moveFor, type Watchman } from './moves.ts';
import type { Ownership } from './records.ts';
import {
  at,
  createScene,
  epoch,
  fencing,
  gateway,
  offered,
  owned,
  POOL,
  released,
  runtime,
  SANDBOX,
  type Scene,
} from './testing/index.ts';
import {
  DEDICATED_TAKEOVER_WAIT_MS,
  OFFER_MS,
  SHARED_TAKEOVER_WAIT_MS,
  SILENCE_SUSPECT_MS,
  STREAM_LOST_SUSPECT_MS,
  SUSPICION_GRACE_MS,
} from './timers.ts';

const LONG_AGO = at(-1_000_000);
/** Everything has been quiet for long: what is suspect at `now` is so for one reason, which the row gives. */
const NOW = 0;

interface Seen {
  readonly recoveredAt?: number;
  readonly seen?: number;
  readonly fenced?: number;
  readonly gone?: number;
  readonly lostAt?: number;
  readonly lastGoodReportAt?: number;
  /** What the boundary has confirmed. */
  readonly confirmed?: number;
  /** Proved to be dead. */
  readonly dead?: string;
  /** The gateway knows nothing of the session on record. */
  readonly unknown?: boolean;
}

const watchman = ({ recoveredAt, seen, fenced, confirmed, dead, gone, lostAt, lastGoodReportAt, unknown }: Seen): Watchman => ({
  gatewayId: gateway('g0'),
  confirmedEpoch: () => (confirmed === undefined ? undefined : epoch(confirmed)),
  isDead: (memberId) => memberId === dead,
  recoveredAt: recoveredAt === undefined ? LONG_AGO : at(recoveredAt),
  seenSince: () => (seen === undefined ? LONG_AGO : at(seen)),
  fencedForMs: () => (fenced === undefined ? 0 : NOW - fenced),
  goneSince: () => (gone === undefined ? undefined : at(gone)),
  session: () =>
    unknown === true
      ? undefined
      : {
          lostAt: lostAt === undefined ? undefined : at(lostAt),
          lastGoodReportAt: lastGoodReportAt === undefined ? undefined : at(lastGoodReportAt),
        },
});

type Row = [title: string, given: (scene: Scene) => Seen | undefined, want: Ownership | undefined];

const decide = (given: Row[1]) => {
  const scene = createScene();
  const seen = given(scene) ?? {};
  return moveFor(scene.world, watchman(seen), SANDBOX, at(NOW), 0);
};
const check = (_title: string, given: Row[1], want: Row[2]): void => expect(decide(given)?.to).toEqual(want);

describe('a released sandbox is offered', () => {
  const free = (scene: Scene): void => scene.owner(released(7));
  const rows: Row[] = [
    ['to a member that is joined here', (scene) => void free(scene), offered('m0', 8)],
    [
      'to the one that owns the fewest',
      (scene) => {
        free(scene);
        const other = 'sb-2' as typeof SANDBOX;
        scene.world.apply(
          [
            {
              key: { kind: 'sandbox', sandboxId: other },
              held: { ...(scene.world.sandboxes.get(SANDBOX) as never as object) } as never,
            },
          ],
          scene.world.revision,
        );
        scene.owner(owned('m0', 3), other);
        return undefined;
      },
      offered('m1', 8),
    ],
    [
      'to the one that owns the fewest, also when it has joined before the other',
      (scene) => {
        free(scene);
        scene.owner(owned('m1', 3), 'sb-2' as typeof SANDBOX);
        return undefined;
      },
      offered('m0', 8),
    ],
    [
      'to the smallest id among equals, whoever has joined first',
      (scene) => {
        free(scene);
        scene.leave('m0');
        scene.member('m0');
        return undefined;
      },
      offered('m0', 8),
    ],
    [
      'not by a gateway where no candidate is joined',
      (scene) => {
        free(scene);
        for (const id of ['m0', 'm1']) scene.member(id, { gatewayId: gateway('g1') });
        scene.gateway('g1');
        return undefined;
      },
      undefined,
    ],
    [
      'not to one that is not ready',
      (scene) => {
        free(scene);
        scene.member('m0', { ready: false });
        return undefined;
      },
      offered('m1', 8),
    ],
    [
      'not to one that drains',
      (scene) => {
        free(scene);
        scene.member('m0', { draining: true });
        return undefined;
      },
      offered('m1', 8),
    ],
    [
      'not past its capacity',
      (scene) => {
        free(scene);
        scene.member('m0', { capacity: 0 });
        return undefined;
      },
      offered('m1', 8),
    ],
    [
      'not where nobody is left',
      (scene) => {
        free(scene);
        scene.leave('m0');
        scene.leave('m1');
        return undefined;
      },
      undefined,
    ],
  ];
  test.each(rows)('%s', check);
});

describe('an offer without an answer goes to another', () => {
  const given =
    (seen: Seen, then: (scene: Scene) => void = () => undefined) =>
    (scene: Scene): Seen => {
      scene.owner(offered('m0', 8));
      then(scene);
      return seen;
    };
  const rows: Row[] = [
    ['not before its time', given({ seen: NOW - OFFER_MS + 1 }), undefined],
    ['after it', given({ seen: NOW - OFFER_MS }), offered('m1', 9)],
    ['at once when the Join is lost (T18)', given({ seen: NOW }, (scene) => scene.leave('m0')), offered('m1', 9)],
    ['at once when it is not ready', given({ seen: NOW }, (scene) => scene.member('m0', { ready: false })), offered('m1', 9)],
    ['at once when it drains', given({ seen: NOW }, (scene) => scene.member('m0', { draining: true })), offered('m1', 9)],
    ['not to itself, when there is no other', given({}, (scene) => scene.leave('m1')), undefined],
    [
      'whichever gateway the other has joined: all may',
      given({}, (scene) => {
        scene.gateway('g1');
        scene.member('m1', { gatewayId: gateway('g1') });
      }),
      offered('m1', 9),
    ],
    [
      'not to one whose gateway is gone: nobody knows that it is there (T18)',
      given({}, (scene) => scene.member('m1', { gatewayId: gateway('g-dead') })),
      undefined,
    ],
  ];
  test.each(rows)('%s', check);
});

describe('an owner is fenced', () => {
  const m0Fenced: Ownership = fencing('m0', 8, 7);
  const elsewhere = (scene: Scene): void => {
    scene.gateway('g1');
    scene.session('m0', 's0', { gatewayId: gateway('g1') });
  };
  const rows: Row[] = [
    ['not while it reports', () => ({ lastGoodReportAt: NOW - SILENCE_SUSPECT_MS + 1 }), undefined],
    ['after 15 s without an accepted report', () => ({ lastGoodReportAt: NOW - SILENCE_SUSPECT_MS }), m0Fenced],
    ['not for silence, if it never reports (an older supervisor)', () => ({}), undefined],
    ['not for a stream just lost', () => ({ lostAt: NOW - STREAM_LOST_SUSPECT_MS + 1 }), undefined],
    ['T22: at once when it is proved to be dead, also in the grace', () => ({ dead: 'm0', recoveredAt: NOW }), m0Fenced],
    ['not because another is proved to be dead', () => ({ dead: 'm1' }), undefined],
    ['2 s after its stream was lost', () => ({ lostAt: NOW - STREAM_LOST_SUSPECT_MS }), m0Fenced],
    [
      'not soon after this gateway recovered',
      () => ({ lostAt: NOW - 10_000, recoveredAt: NOW - SUSPICION_GRACE_MS + 1 }),
      undefined,
    ],
    ['after that grace', () => ({ lostAt: NOW - 10_000, recoveredAt: NOW - SUSPICION_GRACE_MS }), m0Fenced],
    [
      'not for a silence from before it became owner: it has had no time to report',
      () => ({ lastGoodReportAt: NOW - 60_000, seen: NOW - SILENCE_SUSPECT_MS + 1 }),
      undefined,
    ],
    ['not because its session is new here: it is on record before it is open', () => ({ unknown: true }), undefined],
    [
      'not by this gateway, while another that stands holds its session (T14)',
      (scene) => {
        elsewhere(scene);
        return { lostAt: NOW - 60_000, lastGoodReportAt: NOW - 60_000 };
      },
      undefined,
    ],
    [
      'not for a gateway that is gone for less than 15 s',
      (scene) => {
        elsewhere(scene);
        return { gone: NOW - SILENCE_SUSPECT_MS + 1 };
      },
      undefined,
    ],
    [
      'by any gateway, once its own is gone for 15 s',
      (scene) => {
        elsewhere(scene);
        return { gone: NOW - SILENCE_SUSPECT_MS };
      },
      m0Fenced,
    ],
  ];
  test.each(rows)('%s', check);

  test('and the fence remembers the runtime that it served, not the one that came after (T17)', () => {
    const scene = createScene();
    scene.sandbox({ runtimeId: runtime('r1') });
    const move = moveFor(scene.world, watchman({ lostAt: NOW - 60_000 }), SANDBOX, at(NOW), 0);
    expect(move?.to).toMatchObject({ kind: 'fencing', runtimeId: 'r0', ownedEpoch: epoch(7) });
  });
});

test('the absence of a gateway is counted while the grace still runs', () => {
  const asked: string[] = [];
  const scene = createScene();
  scene.session('m0', 's0', { gatewayId: gateway('g1') });
  moveFor(scene.world, { ...watchman({ recoveredAt: NOW }), goneSince: (id) => void asked.push(id) }, SANDBOX, at(NOW), 0);
  expect(asked).toEqual(['g1']);
});

describe('a fenced sandbox is offered', () => {
  const given =
    (seen: Seen, then: (scene: Scene) => void = () => undefined) =>
    (scene: Scene): Seen => {
      scene.owner(fencing('m0', 8, 7));
      then(scene);
      return seen;
    };
  const dedicated = (scene: Scene): void => scene.sandbox({ mode: 'dedicated' });
  const boundary = (scene: Scene): void => scene.sandbox({ boundaryAddress: 'demo:9443' });
  const rows: Row[] = [
    ['at once when the boundary has confirmed', given({ fenced: NOW, confirmed: 8 }, boundary), offered('m1', 9)],
    ['not when it confirmed another fence', given({ fenced: NOW, confirmed: 7 }, boundary), undefined],
    ['to nobody when it has confirmed and nobody is left', given({ confirmed: 8 }, (scene) => scene.leave('m1')), undefined],
    ['T22: at once when the owner is proved to be dead', given({ fenced: NOW, dead: 'm0' }, dedicated), offered('m1', 9)],
    ['not when another is proved to be dead', given({ fenced: NOW, dead: 'm1' }, dedicated), undefined],
    ['not before the wait is over', given({ fenced: NOW - SHARED_TAKEOVER_WAIT_MS + 1 }), undefined],
    ['after 17 s, to another', given({ fenced: NOW - SHARED_TAKEOVER_WAIT_MS }), offered('m1', 9)],
    ['not after 17 s if the owner was dedicated (T7)', given({ fenced: NOW - SHARED_TAKEOVER_WAIT_MS }, dedicated), undefined],
    ['after 33 s then', given({ fenced: NOW - DEDICATED_TAKEOVER_WAIT_MS }, dedicated), offered('m1', 9)],
    ['not on the strength of what was seen before the fence (T2)', given({ seen: NOW - 60_000 }), undefined],
    ['never to the fenced one (T8)', given({ fenced: NOW - 60_000 }, (scene) => scene.leave('m1')), undefined],
    [
      'not for a member that has left: it proves nothing',
      given({ fenced: NOW - 1_000 }, (scene) => scene.leave('m0')),
      undefined,
    ],
  ];
  test.each(rows)('%s', check);
});

test.each([
  ['an offer relies on the member', (scene: Scene) => void scene.owner(released(7)), { on: 'member', memberId: 'm0' }],
  ['a suspicion relies on the session (T14)', () => ({ lostAt: NOW - 60_000 }), { on: 'session', memberId: 'm0' }],
] as const)('%s', (_title, given, want) => expect(decide(given)?.relies).toEqual(want));

test('a sandbox that is being deleted is left alone', () => {
  const scene = createScene();
  scene.remove({ kind: 'sandbox', sandboxId: SANDBOX });
  expect(moveFor(scene.world, watchman({ lostAt: NOW - 60_000 }), SANDBOX, at(NOW), 0)).toBeUndefined();
  expect(scene.world.sandboxesOf(POOL).size).toBe(0);
});
