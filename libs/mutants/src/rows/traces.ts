import type { Row } from './row.ts';

/** Executions that broke earlier drafts of the authority; each is brought back by taking its rule out, wherever it stands. */
export const TRACES = Array.from({ length: 22 }, (_, index) => `T${index + 1}`);

const ownership = 'libs/authority/src/ownership.ts';
const moves = 'libs/authority/src/moves.ts';
const supervisor = 'libs/session/src/supervisor.ts';
const gateway = 'libs/session/src/gateway.ts';
const writes = 'apps/gateway/src/ownership-writes.ts';

export const traces: readonly Row[] = [
  {
    id: 'T1 judge again at the echo',
    kind: 'trace',
    traces: ['T1'],
    removes: 'a report is leased when its vector comes back, whatever the record says by then',
    changes: [
      {
        file: gateway,
        find: "if (!judgement.ok) return { state, effects: [{ kind: 'refused', clause: judgement.error }] };\n  return lease",
        becomes: 'return lease',
      },
    ],
  },
  {
    id: 'T2 wait from seeing the fence',
    kind: 'trace',
    traces: ['T2'],
    removes: 'the wait begins when the fence is sent, not when its record is seen',
    changes: [
      {
        file: 'apps/gateway/src/assign.ts',
        find: '    writing.add(sandboxId);\n    count(to, 1);',
        becomes:
          "    if (move.to.kind === 'fencing') fenced.set(sandboxId, { epoch: move.to.ownedEpoch, atMs: clock.steadyMs() });\n" +
          '    writing.add(sandboxId);\n    count(to, 1);',
      },
    ],
  },
  {
    id: 'T3 publish by what was judged',
    kind: 'trace',
    traces: ['T3'],
    removes: 'a publication compares what the view holds when it is written, not what was judged',
    changes: [
      {
        file: 'apps/gateway/src/publish.ts',
        find: 'guards: [unmoved(key, present?.modRevision), ...judged(judgement.fence, session, made.poolId)],\n          puts: [{ key, value: (opId) => encodeInstallation(',
        becomes:
          'guards: [unmoved(key, present?.modRevision), ...judged(reread(world, sandboxId, session.memberId, made), session, made.poolId)],\n' +
          '          puts: [{ key, value: (opId) => encodeInstallation(',
      },
      {
        file: 'apps/gateway/src/publish.ts',
        find: 'const unmoved = (key: string',
        becomes:
          'const reread = (world: any, id: any, member: any, { installation, poolId }: any): any => Object.assign(installation.fence, {' +
          ' owner: world.owners.get(id)?.modRevision ?? 0n, session: world.session(id, member)?.modRevision ?? 0n,' +
          ' sandbox: world.sandboxes.get(id)?.modRevision ?? 0n, config: world.configs.get(id)?.modRevision ?? 0n,' +
          ' credential: world.credentials.get(id)?.modRevision ?? 0n,' +
          ' memberCreated: world.members(poolId).get(member)?.createRevision ?? 0n });\n' +
          'const unmoved = (key: string',
      },
    ],
  },
  {
    id: 'T4 owned until Released',
    kind: 'trace',
    traces: ['T4'],
    removes: 'who should let go is taken to have let go as soon as it is asked',
    changes: [
      {
        file: gateway,
        find: "return { state, effects: [send({ kind: 'release', ownerEpoch: state.told.epoch })] };",
        becomes:
          "return { state, effects: [send({ kind: 'release', ownerEpoch: state.told.epoch }), { kind: 'released', epoch: state.told.epoch }] };",
      },
    ],
  },
  {
    id: 'T5 a release is final',
    kind: 'trace',
    traces: ['T5'],
    removes: 'a lease brings back who has released its epoch',
    changes: [
      {
        file: supervisor,
        find: 'if (stale || state.standing.released) return quiet(next);',
        becomes: 'if (stale) return quiet(next);',
      },
      {
        file: supervisor,
        find: 'standing: { ...state.standing, leaseUntil } }, effects };',
        becomes: 'standing: { ...state.standing, leaseUntil, released: false } }, effects };',
      },
    ],
  },
  {
    id: 'T6 Released names its epoch',
    kind: 'trace',
    traces: ['T6'],
    removes: 'any Released ends the present tenure',
    changes: [
      {
        file: writes,
        find: "if (value.epoch > epoch || (value.epoch === epoch && value.kind !== 'owned')) return 'written';",
        becomes: "if (value.kind !== 'owned') return 'written';",
      },
      {
        file: ownership,
        find: "if (current.by !== by) return err('other_member');\n  if (current.epoch !== released) return err('other_epoch');",
        becomes: "if (current.by !== by) return err('other_member');",
      },
      {
        file: ownership,
        find: "if (current.kind !== 'owned') return err('not_owned');\n  if (current.epoch !== released) return err('other_epoch');",
        becomes: "if (current.kind !== 'owned') return err('not_owned');",
      },
    ],
  },
  {
    id: 'T7 a dedicated owner is waited out',
    kind: 'trace',
    traces: ['T7'],
    removes: 'the wait for a dedicated owner is that for a shared one',
    changes: [
      {
        file: moves,
        find: "sandbox.value.mode === 'shared' ? SHARED_TAKEOVER_WAIT_MS : DEDICATED_TAKEOVER_WAIT_MS",
        becomes: 'SHARED_TAKEOVER_WAIT_MS',
      },
    ],
  },
  {
    id: 'T7 freshness carries the age',
    kind: 'trace',
    traces: ['T7'],
    removes: 'freshness is counted as if the view of the gateway were of now',
    changes: [
      {
        file: 'libs/authority/src/lease.ts',
        find: 'FRESHNESS_MS - SUPERVISOR_MARGIN_MS - Math.max(0, ageMs)',
        becomes: 'FRESHNESS_MS - SUPERVISOR_MARGIN_MS',
      },
    ],
  },
  {
    id: 'T8 never back through an offer',
    kind: 'trace',
    traces: ['T8'],
    removes: 'the fenced member is offered its sandbox back, without a wait',
    changes: [
      {
        file: moves,
        find: 'if (!proved && watchman.fencedForMs(sandboxId) < waitMs) return undefined;',
        becomes:
          'if (!proved && watchman.fencedForMs(sandboxId) < waitMs)\n' +
          "        return world.members(sandbox.value.poolId).get(current.from)?.value.ready ? move({ kind: 'offered', epoch: nextEpoch(current.epoch, unixMs), to: current.from }, { on: 'member', memberId: current.from }) : undefined;",
      },
      { file: moves, find: 'import { fence, offer,', becomes: 'import { fence, nextEpoch, offer,' },
    ],
  },
  {
    id: 'T8 nor after the wait',
    kind: 'trace',
    traces: ['T8'],
    removes: 'after the wait the fenced member is a candidate like any other',
    changes: [
      {
        file: moves,
        find: 'fenceBearer(world, sandboxId) ?? candidate(world, sandbox.value, () => true, current.from)',
        becomes: 'fenceBearer(world, sandboxId) ?? candidate(world, sandbox.value, () => true)',
      },
      { file: ownership, find: "if (current.from === to) return err('same_member');", becomes: '' },
    ],
  },
  {
    id: 'T9 counted from its own echo',
    kind: 'trace',
    traces: ['T9'],
    removes: 'the life of a renewal is counted from the newest echo, not from one at or below asOf',
    changes: [
      {
        file: 'libs/catalog/src/evidence.ts',
        find: 'echoes.findLast(({ revision }) => revision <= asOf)',
        becomes: 'echoes.at(-1)',
      },
    ],
  },
  {
    id: 'T10 listed renewals prove nothing',
    kind: 'trace',
    traces: ['T10'],
    removes: 'a renewal that was merely listed counts as one that arrived',
    changes: [
      { file: 'apps/discovery/src/catalog-view.ts', find: "if (how === 'listed') return;\n    if (key", becomes: 'if (key' },
      // The second line: what is listed is older than every echo of this life.
      {
        file: 'libs/catalog/src/evidence.ts',
        find: 'echoes.findLast(({ revision }) => revision <= asOf)',
        becomes: 'echoes.findLast(({ revision }) => revision <= asOf) ?? echoes.at(0)',
      },
    ],
  },
];
