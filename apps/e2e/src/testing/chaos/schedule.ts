import { createRandom, type Random } from '../../fuzz/random.ts';

/** What is broken, and for how long. */
export interface Fault {
  readonly number: number;
  readonly kind: FaultKind;
  readonly target: string;
  /** Since the run began, as planned; milliseconds. */
  readonly at: number;
  readonly forMs: number;
}

/** Faults that overlap, and the quiet after them in which everything has to come back. */
export interface Round {
  readonly at: number;
  readonly faults: readonly Fault[];
}

export interface Targets {
  readonly etcd: readonly string[];
  readonly gateways: readonly string[];
  readonly supervisors: readonly string[];
  /** Of these no other can take over, and no boundary can speak for them: they are waited out for 33 s. */
  readonly slow: readonly string[];
  readonly boundaries: readonly string[];
}

interface Kind {
  readonly targets: (targets: Targets) => readonly string[];
  readonly forMs: readonly [from: number, to: number];
  readonly weight: number;
  /** Typical time until all is served again; an owner that is lost and slow costs its own. Milliseconds. */
  readonly settlesMs: number;
}

const one = (name: string) => (): readonly string[] => [name];
const gateways = ({ gateways: all }: Targets): readonly string[] => all;
const etcd = ({ etcd: all }: Targets): readonly string[] => all;
const supervisors = ({ supervisors: all }: Targets): readonly string[] => all;
const boundaries = ({ boundaries: all }: Targets): readonly string[] => all;

/** Every way in which this breaks things. Killed is started again, stopped is resumed, a network heals, when the time is over. */
export const KINDS = {
  'etcd-killed': { targets: etcd, forMs: [500, 8_000], weight: 3, settlesMs: 4_000 },
  'etcd-stopped': { targets: etcd, forMs: [500, 8_000], weight: 3, settlesMs: 4_000 },
  'etcd-quorum-killed': { targets: one('two of etcd'), forMs: [2_000, 18_000], weight: 1, settlesMs: 12_000 },
  'gateway-killed': { targets: gateways, forMs: [300, 8_000], weight: 4, settlesMs: 5_000 },
  'gateway-stopped': { targets: gateways, forMs: [500, 15_000], weight: 4, settlesMs: 8_000 },
  'gateway-cut-from-store': { targets: gateways, forMs: [500, 10_000], weight: 2, settlesMs: 6_000 },
  'gateway-silent-to-store': { targets: gateways, forMs: [500, 14_000], weight: 2, settlesMs: 8_000 },
  'gateway-slow-to-store': { targets: gateways, forMs: [2_000, 10_000], weight: 1, settlesMs: 4_000 },
  'supervisor-killed': { targets: supervisors, forMs: [0, 5_000], weight: 5, settlesMs: 8_000 },
  'supervisor-stopped': { targets: supervisors, forMs: [500, 22_000], weight: 5, settlesMs: 8_000 },
  'supervisor-drained': { targets: supervisors, forMs: [0, 2_000], weight: 4, settlesMs: 8_000 },
  'supervisor-cut-from-gateways': { targets: supervisors, forMs: [300, 8_000], weight: 3, settlesMs: 8_000 },
  'supervisor-silent-to-gateways': { targets: supervisors, forMs: [500, 20_000], weight: 3, settlesMs: 8_000 },
  'supervisor-slow-to-gateways': { targets: supervisors, forMs: [2_000, 10_000], weight: 1, settlesMs: 4_000 },
  'boundary-killed': { targets: boundaries, forMs: [0, 2_000], weight: 2, settlesMs: 8_000 },
  'boundary-stopped': { targets: boundaries, forMs: [500, 8_000], weight: 2, settlesMs: 8_000 },
  'boundary-silent': { targets: boundaries, forMs: [500, 8_000], weight: 2, settlesMs: 8_000 },
  'driver-killed': { targets: one('driver'), forMs: [500, 8_000], weight: 1, settlesMs: 4_000 },
  'driver-stopped': { targets: one('driver'), forMs: [500, 8_000], weight: 1, settlesMs: 4_000 },
  'discovery-killed': { targets: one('discovery'), forMs: [500, 5_000], weight: 1, settlesMs: 5_000 },
  'discovery-stopped': { targets: one('discovery'), forMs: [500, 8_000], weight: 1, settlesMs: 5_000 },
} as const satisfies Readonly<Record<string, Kind>>;

export type FaultKind = keyof typeof KINDS;

/** Faults of one round begin within this. */
const WINDOW_MS = 8_000;
/** Of rounds on average; how many faults each has follows from it. */
const TYPICAL_ROUND_MS = 34_000;
/** A lost owner of its own that nobody can speak for: suspicion and the wait. */
const SLOW_SETTLES_MS = 38_000;
/** Nobody is suspected this soon after a gateway or the store came back. */
const GRACE_MS = 20_000;
const LOSES_OWNER: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'supervisor-killed',
  'supervisor-stopped',
  'supervisor-silent-to-gateways',
]);
const PICKS_MAX = 50;

export interface Wanted {
  readonly seed: number;
  readonly minutes: number;
  readonly faults: number;
  /** Leaves out what is waited out for long. */
  readonly short?: boolean;
}

/** The same seed, the same schedule, on every machine. */
export function scheduleOf({ seed, minutes, faults: wanted, short = false }: Wanted, targets: Targets): readonly Round[] {
  const random = createRandom(seed, 0);
  const endAt = minutes * 60_000;
  const rounds: Round[] = [];
  let [at, number] = [0, 1];
  // As many faults as were asked for, and then on until the time is over.
  while (number <= wanted || at < endAt - TYPICAL_ROUND_MS) {
    const roundsLeft = Math.max(1, Math.floor((endAt - at) / TYPICAL_ROUND_MS));
    const count = Math.max(1, Math.ceil((wanted - number + 1) / roundsLeft));
    const faults: Fault[] = [];
    for (let each = 0; each < count; each += 1) {
      const fault = pick(random, targets, faults, short);
      if (fault !== undefined) faults.push({ ...fault, at: at + random.below(WINDOW_MS), number: 0 });
    }
    const inOrder = faults.sort((a, b) => a.at - b.at).map((fault, index) => ({ ...fault, number: number + index }));
    number += faults.length;
    rounds.push({ at, faults: inOrder });
    at = settledAt(at, inOrder, targets);
  }
  return rounds;
}

/** Never two at once on one target: the second would heal the first. */
function pick(
  random: Random,
  targets: Targets,
  present: readonly Fault[],
  short: boolean,
): Omit<Fault, 'at' | 'number'> | undefined {
  const kinds = Object.keys(KINDS).flatMap((kind) =>
    Array.from({ length: KINDS[kind as FaultKind].weight }, () => kind as FaultKind),
  );
  for (let attempt = 0; attempt < PICKS_MAX; attempt += 1) {
    const kind = random.pick(kinds);
    const target = random.pick(KINDS[kind].targets(targets));
    const [from, to] = KINDS[kind].forMs;
    const forMs = random.between(from, to);
    if (short && (kind === 'etcd-quorum-killed' || forMs > 6_000 || targets.slow.includes(target))) continue;
    const touchesEtcd = (each: FaultKind): boolean => each.startsWith('etcd');
    // One more member of etcd beside two that are gone is a fault of its own kind.
    if (present.some((each) => each.target === target || (touchesEtcd(each.kind) && touchesEtcd(kind)))) continue;
    return { kind, target, forMs };
  }
  return undefined;
}

function settledAt(at: number, faults: readonly Fault[], { slow }: Targets): number {
  const grace = faults.some(({ kind }) => kind.startsWith('etcd') || kind === 'gateway-killed') ? GRACE_MS / 2 : 0;
  const each = faults.map(({ at: from, forMs, kind, target }) => {
    const isSlow = slow.includes(target) && LOSES_OWNER.has(kind);
    return from + forMs + (isSlow ? SLOW_SETTLES_MS + grace : KINDS[kind].settlesMs);
  });
  return Math.max(at + WINDOW_MS, ...each);
}

export const lineOf = ({ number, at, kind, target, forMs }: Fault): string =>
  `fault ${String(number).padStart(3)}  at ${(at / 1_000).toFixed(2).padStart(8)} s  ${kind.padEnd(30)} ${target.padEnd(14)} for ${(forMs / 1_000).toFixed(2)} s`;
