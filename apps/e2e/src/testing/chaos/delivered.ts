import type { Asked, Delivery, Evidence, Opened, SandboxFacts } from './evidence.ts';
import { lifeAt, type Tenure, tenureAt, tenuresOf } from './tenures.ts';

/** A delivery with the tenure under which it was made. */
export interface Attributed {
  readonly delivery: Delivery;
  readonly tenure: Tenure;
}

/** A graceful change lets open streams go on for this long (BOUNDARY_OVERLAP_MS, and a shared lease). */
const OVERLAP_MS = 15_000;
/** Past this a stopped owner's authority has run out by its own clock. */
const AUTHORITY_MS = { shared: 15_000, dedicated: 30_000 };
/** Two machines' words about one connection lie this close together. */
const SAME_CONNECTION_MS = 10_000;
/** What a boundary says last before it is killed may be lost with it. */
const LAST_WORDS_MS = 2_000;

export const listenerOf = (id: string): string => id.split('.')[0] ?? '';

/** No byte of an owner that was left behind, and never two at once beyond what a change in good order allows. */
export function judgeDeliveries(evidence: Evidence, asked: ReadonlyMap<string, Asked>): readonly string[] {
  return evidence.sandboxes.flatMap((sandbox) => {
    const tenures = tenuresOf(evidence, sandbox.name);
    const deliveries = evidence.deliveries.filter((each) => each.sandbox === sandbox.name).toSorted((a, b) => a.at - b.at);
    const opened = evidence.opened.filter((each) => each.sandbox === sandbox.name).toSorted((a, b) => a.order - b.order);
    const byPort = Map.groupBy(opened, ({ localPort }) => localPort);
    const violations = [...epochsOnlyRise(sandbox, opened)];
    const attributed: Attributed[] = [];
    for (const delivery of deliveries) {
      const found = sandbox.hasBoundary
        ? byBoundary(evidence, sandbox, delivery, byPort.get(delivery.peerPort) ?? [], tenures)
        : byListener(evidence, sandbox, delivery, tenures);
      if (typeof found === 'string') violations.push(found);
      else if (found !== undefined) attributed.push({ delivery, tenure: found });
    }
    return [
      ...violations,
      ...inOrder(sandbox, attributed, tenures, asked),
      ...notAfterAStop(evidence, sandbox, deliveries, asked),
    ];
  });
}

function* epochsOnlyRise({ name }: SandboxFacts, opened: readonly Opened[]): Iterable<string> {
  let highest = 0n;
  for (const { epoch, memberId } of opened) {
    if (epoch < highest) yield `${name}: the boundary opened a channel of epoch ${epoch} (${memberId}) after one of ${highest}`;
    if (epoch > highest) highest = epoch;
  }
}

/** The boundary says whose channel it was; a text: what is wrong with that. */
function byBoundary(
  { faults, members, listeners }: Evidence,
  { name }: SandboxFacts,
  { id, at, connectedAtWallMs }: Delivery,
  opened: readonly Opened[],
  tenures: readonly Tenure[],
): Tenure | string | undefined {
  const channel = opened.findLast(({ atWallMs }) => Math.abs(atWallMs - connectedAtWallMs) < SAME_CONNECTION_MS);
  if (channel === undefined) {
    const lost = faults.some(
      ({ kind, target, startedAt }) => kind === 'boundary-killed' && target === name && Math.abs(startedAt - at) < LAST_WORDS_MS,
    );
    return lost ? undefined : `${name}: ${id} reached the application by a way that its boundary did not open`;
  }
  const port = members.find(({ memberId }) => memberId === channel.memberId)?.appPort;
  const from = listeners.find((listener) => listener.port === port)?.name;
  if (from !== listenerOf(id)) return `${name}: ${id} was delivered through the channel of ${from ?? channel.memberId}`;
  const tenure = tenures.find(({ epoch }) => epoch === channel.epoch);
  return tenure ?? `${name}: ${id} was delivered under epoch ${channel.epoch}, which nobody had`;
}

/** Without a boundary: who was asked, and what it owned then. */
function byListener(
  { listeners }: Evidence,
  { name }: SandboxFacts,
  { id, at }: Delivery,
  tenures: readonly Tenure[],
): Tenure | string {
  const listener = listeners.find((each) => each.name === listenerOf(id));
  if (listener === undefined) return `${name}: ${id} came from nobody`;
  const tenure = tenureAt(tenures, listener.name, lifeAt(listener, at), at);
  return tenure ?? `${name}: ${id} was delivered by ${listener.name}, which had never owned it`;
}

/** Deliveries in the order of the application's own clock. */
function* inOrder(
  { name }: SandboxFacts,
  attributed: readonly Attributed[],
  tenures: readonly Tenure[],
  asked: ReadonlyMap<string, Asked>,
): Iterable<string> {
  const firsts: Attributed[] = [];
  for (const each of attributed) {
    const { delivery, tenure } = each;
    const newer = firsts.find((first) => first.tenure.epoch > tenure.epoch && first.tenure.memberId !== tenure.memberId);
    if (!firsts.some((first) => first.tenure.epoch === tenure.epoch)) firsts.push(each);
    if (newer === undefined) continue;
    const fenced = tenures.some(({ epoch, fenced: was }) => was && epoch >= tenure.epoch && epoch < newer.tenure.epoch);
    const late = delivery.at - newer.delivery.at;
    const what = `${name}: ${delivery.id} of epoch ${tenure.epoch} (${tenure.listener}) was delivered ${late.toFixed(1)} ms after ${newer.delivery.id} of epoch ${newer.tenure.epoch} (${newer.tenure.listener})`;
    const sentAt = asked.get(delivery.id)?.sentAt ?? Number.NEGATIVE_INFINITY;
    if (fenced) yield `${what}: the older one was fenced`;
    else if (delivery.line === undefined && sentAt > newer.delivery.at) yield `${what}: it was admitted after the change`;
    else if (late > OVERLAP_MS) yield `${what}: longer than a change in good order allows`;
  }
}

/** Stopped for longer than its authority: nothing of a tunnel that was open before may pass when it goes on. */
function* notAfterAStop(
  { faults }: Evidence,
  { name, mode }: SandboxFacts,
  deliveries: readonly Delivery[],
  asked: ReadonlyMap<string, Asked>,
): Iterable<string> {
  const stops = faults.filter(
    ({ kind, startedAt, healedAt }) => kind === 'supervisor-stopped' && healedAt - startedAt > AUTHORITY_MS[mode],
  );
  for (const { target, startedAt, healedAt } of stops)
    for (const { id, at, line } of deliveries)
      if (line !== undefined && at > healedAt && listenerOf(id) === target && (asked.get(id)?.sentAt ?? healedAt) < startedAt)
        yield `${name}: a line of ${id} passed ${target} after it had stood still for longer than its lease`;
}
