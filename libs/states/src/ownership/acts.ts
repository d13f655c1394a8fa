import { moveFor } from '@sallyport/authority';
import type { Instant } from '@sallyport/model';
import { createRecords, GATEWAYS, MEMBERS, SANDBOX } from '../records.ts';
import { type Commits, createCommits } from './commits.ts';
import { createEnds, type Ends } from './ends.ts';
import type { Setting } from './rules.ts';
import { type Gateway, type State, withGateway } from './state.ts';
import { createViews } from './views.ts';

type By = 0 | 1;

/** Each returns the state that it leads to; undefined where it cannot happen now, or would go past the bounds. */
export interface Acts extends Commits, Omit<Ends, 'step'> {
  see(state: State, by: By): State | undefined;
  wantRelease(state: State, by: By): State | undefined;
  suspect(state: State, by: By): State | undefined;
  move(state: State, by: By): State | undefined;
}

const NOW = 0 as Instant;

export function createActs(setting: Setting): Acts {
  const records = createRecords(setting.mode);
  const views = createViews(records);
  const { step, ...ends } = createEnds(setting, records, views);
  const { without, changesMax } = setting;
  const changed = (state: State): State => ({ ...state, changes: state.changes + 1 });

  /** A step of ownership that nobody asks for. `suspects`: whenever it likes, since no clock of suspicion is to be relied on. */
  function moved(state: State, by: By, suspects: boolean): State | undefined {
    const gateway = state.gateways[by];
    const { owner, fenced, seenAt } = gateway;
    if (gateway.write !== undefined || suspects !== (owner.value.kind === 'owned')) return undefined;
    // Its own session's gateway tells the owner before it leases again: the other one is the harder case.
    if (suspects && owner.value.kind === 'owned' && owner.value.by === MEMBERS[by]) return undefined;
    if (without === 'T8' && owner.value.kind === 'fencing') return offeredBack(state, by);
    const spent = fenced === undefined ? 0 : NOW - fenced.fencedAt;
    const watchman = {
      gatewayId: GATEWAYS[by],
      recoveredAt: NOW,
      seenSince: () => seenAt,
      // For T7: the wait for a dedicated owner ends as soon as that for a shared one.
      fencedForMs: () => (without === 'T7-wait' ? spent + 16_000 : spent),
      confirmedEpoch: () => undefined,
      isDead: () => suspects,
      goneSince: () => undefined,
      session: () => undefined,
    };
    const move = moveFor(views.of(owner), watchman, SANDBOX, NOW, 0);
    if (move === undefined) return undefined;
    const write = { to: move.to, over: move.from.modRevision, releases: undefined };
    // For T2: the wait begins with the sending.
    const begins = without === 'T2' && move.to.kind === 'fencing' ? { ownedEpoch: move.to.ownedEpoch, fencedAt: NOW } : fenced;
    return withGateway(state, by, { ...gateway, write, fenced: begins });
  }

  /** For T8. */
  function offeredBack(state: State, by: By): State | undefined {
    const gateway = state.gateways[by];
    const { value, modRevision } = gateway.owner;
    if (value.kind !== 'fencing') return undefined;
    const to = { kind: 'offered' as const, epoch: (value.epoch + 1n) as typeof value.epoch, to: value.from };
    return withGateway(state, by, { ...gateway, write: { to, over: modRevision, releases: undefined } });
  }

  return {
    ...ends,
    ...createCommits(setting, views, step),
    suspect: (state, by) =>
      setting.by === 'suspicion' && state.changes < changesMax ? moved(changed(state), by, true) : undefined,
    move: (state, by) => moved(state, by, false),
    wantRelease(state, by) {
      const { told } = state.gateways[by].end;
      if (setting.by !== 'release' || told.state !== 'owned' || state.changes >= changesMax) return undefined;
      return step(changed(state), by, { kind: 'world' }, true);
    },
    see(state, by) {
      const gateway = state.gateways[by];
      const [next, ...unseen] = gateway.unseen;
      if (next === undefined) return undefined;
      if (next.kind === 'owner')
        return step(withGateway(state, by, observed({ ...gateway, unseen }, next.held)), by, { kind: 'world' });
      const { sentAt, evidence } = next.vector;
      const echoed = withGateway(state, by, { ...gateway, unseen, echoSentAt: sentAt });
      return evidence === undefined ? echoed : step(echoed, by, { kind: 'renewed', evidence });
    },
  };
}

/** As the production shell notes it: the wait belongs to the epoch that was owned, and begins when its fence is seen. */
function observed(gateway: Gateway, held: Gateway['owner']): Gateway {
  const { value } = held;
  if (value.kind === 'owned') return { ...gateway, owner: held, seenAt: NOW, fenced: undefined };
  const begins = value.kind === 'fencing' && gateway.fenced?.ownedEpoch !== value.ownedEpoch;
  const fenced = begins ? { ownedEpoch: value.ownedEpoch, fencedAt: NOW } : gateway.fenced;
  return { ...gateway, owner: held, seenAt: NOW, fenced };
}
