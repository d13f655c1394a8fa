import { availableParallelism, loadavg } from 'node:os';
import type { Asked, Listener, SandboxFacts, Sight } from './evidence.ts';
import type { Fault } from './schedule.ts';

/** How long a sandbox may need once the last fault of a round has healed, clause by clause. */
export const TERMS = {
  /** What machines and not rules need: a process that joins, installs, reports; an etcd that elects. Grows with the load. */
  work: 8_000,
  /** An owner whose gateway is gone too is only suspected after this. */
  suspicion: 15_000,
  /** Nobody is suspected this soon after a gateway or the store came back. */
  grace: 20_000,
  /** After an outage of the store or of gateways the owner goes on from where it was. */
  outage: 10_000,
  /** The fence, where no boundary speaks for the owner. */
  sharedWait: 17_000,
  dedicatedWait: 33_000,
  /** A boundary that was started again knows no token until the next report is answered. */
  newTokens: 6_000,
};

/** More runnable processes than processors, and each waits its turn: the work term, and no other, is stretched by as much. */
export const stretchNow = (): number => Math.min(STRETCH_MAX, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()));
/** On a machine that is busier than this a run proves nothing about recovery. */
const STRETCH_MAX = 4;

const LOSES_OWNER = /^supervisor-(killed|stopped|drained|cut|silent)/;
const IS_OUTAGE = /^(etcd|gateway)-/;

/** `recent`: what had healed so shortly before that its grace may still last. */
export function boundMs(
  { name, mode, hasBoundary, listeners }: SandboxFacts,
  faults: readonly Fault[],
  recent: readonly Pick<Fault, 'kind'>[],
  stretch: number,
): number {
  const isLost = faults.some(({ kind, target }) => LOSES_OWNER.test(kind) && listeners.includes(target));
  const ofBoundary = faults.some(({ kind, target }) => kind.startsWith('boundary-') && target === name);
  const isOutage = [...faults, ...recent].some(({ kind }) => IS_OUTAGE.test(kind));
  const waits = hasBoundary && !ofBoundary ? 0 : mode === 'shared' ? TERMS.sharedWait : TERMS.dedicatedWait;
  return (
    TERMS.work * stretch +
    (isLost ? TERMS.suspicion + waits + (isOutage ? TERMS.grace : 0) : 0) +
    (isOutage && !isLost ? TERMS.outage : 0) +
    (ofBoundary ? TERMS.newTokens : 0)
  );
}

/** Served and shown since then, and by the same listener. */
export function isBack(
  { name }: SandboxFacts,
  asked: readonly Asked[],
  sights: readonly Sight[],
  listeners: readonly Pick<Listener, 'name' | 'port'>[],
  since: number,
): boolean {
  const sight = sights.findLast((each) => each.sandbox === name);
  if (sight?.shown === undefined || sight.askedAt < since) return false;
  const shown = listeners.find(({ port }) => port === sight.shown?.port)?.name;
  const answer = asked.findLast((each) => each.sandbox === name && each.listener === shown && !each.id.includes('.t'));
  return answer?.outcome.kind === 'right' && answer.sentAt >= since;
}
