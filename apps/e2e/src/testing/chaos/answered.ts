import type { Asked, Done, Evidence } from './evidence.ts';
import { type Tenure, tenuresOf } from './tenures.ts';

/** A client may see the end of a fault this much later. */
const HEARS_LATE_MS = 1_000;
/** A listener that was started again needs a while until its port answers: within this of the end of its fault. */
const STARTS_MS = 1_000;
/** An owner that changes ends what it has open. */
const CHANGE_MS = 20_000;

/** Each answer is right or one of our refusals; where there was none, a fault of that very way must explain it. */
export function judgeAnswers(evidence: Evidence): readonly string[] {
  const delivered = new Set(evidence.deliveries.map(({ id }) => id));
  const tenures = new Map(evidence.sandboxes.map(({ name }) => [name, tenuresOf(evidence, name)]));
  const violations: string[] = [];
  for (const asked of evidence.asked) {
    const { id, sandbox, listener, outcome } = asked;
    const facts = evidence.sandboxes.find(({ name }) => name === sandbox);
    if (outcome.kind === 'wrong') violations.push(`${sandbox}: ${listener} answered ${id} wrongly: ${outcome.why}`);
    if (outcome.kind === 'right' && !delivered.has(id)) violations.push(`${sandbox}: ${id} was answered and never delivered`);
    if (outcome.kind === 'right' && facts?.listeners.includes(listener) !== true)
      violations.push(`${sandbox}: ${listener} answered ${id}, and may never serve it`);
    if (outcome.kind !== 'no-answer') continue;
    if (evidence.faults.some((fault) => explains(fault, asked))) continue;
    if ((tenures.get(sandbox) ?? []).some((tenure) => endedMeanwhile(tenure, asked))) continue;
    if (endedByARefusal(evidence.asked, asked)) continue;
    violations.push(`${sandbox}: ${listener} gave ${id} no answer (${outcome.why}), and no fault explains it`);
  }
  return violations;
}

/** What breaks the way from the client through this listener to this application. */
function explains({ kind, target, startedAt, healedAt }: Done, { sandbox, listener, sentAt, answeredAt }: Asked): boolean {
  const onTheWay =
    (kind === 'supervisor-killed' || kind === 'supervisor-stopped' || kind === 'supervisor-drained') && target === listener
      ? true
      : kind.startsWith('boundary-') && target === sandbox;
  return onTheWay && answeredAt >= startedAt && sentAt <= healedAt + STARTS_MS + HEARS_LATE_MS;
}

/** What is open when an owner changes may be cut. */
const endedMeanwhile = ({ listener, endedAt }: Tenure, asked: Asked): boolean =>
  listener === asked.listener &&
  endedAt !== undefined &&
  asked.sentAt <= endedAt + CHANGE_MS &&
  asked.answeredAt >= endedAt - HEARS_LATE_MS;

/** Authority that runs out cuts what is under way; then the next answer says so. */
function endedByARefusal(all: readonly Asked[], { sandbox, listener, answeredAt }: Asked): boolean {
  const next = all
    .filter((each) => each.sandbox === sandbox && each.listener === listener && each.sentAt >= answeredAt)
    .reduce<Asked | undefined>((first, each) => (first === undefined || each.sentAt < first.sentAt ? each : first), undefined);
  return next?.outcome.kind === 'refused' || next?.outcome.kind === 'unknown-name';
}
