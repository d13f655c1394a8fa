import { type Instant, LONG_AGO, later } from '@sallyport/model';
import { forgetful } from './forgetful.ts';
import type { State } from './state.ts';

/**
 * Two states are one when they differ only in how far their numbers have run: epochs, revisions and sequences are compared
 * and never counted, and what is older than anything asks for is simply old. So the states are few enough to be all of them.
 */

/** Longer ago than any wait. */
const OLD_MS = 40_000;

const EPOCHS = new Set(['epoch', 'ownerEpoch', 'ownedEpoch', 'releasing', 'releasedEpoch', 'releases', 'saidEpochs']);
const REVISIONS = new Set(['modRevision', 'createRevision', 'judged', 'over']);
const SEQUENCES = new Set(['sequence', 'nextSequence', 'leasedSequence', 'ackOfReport', 'nextHeartbeat', 'heartbeat']);
const INSTANTS = new Set([
  'sentAt',
  'seenAt',
  'fencedAt',
  'echoSentAt',
  'challengeSentAt',
  'leaseUntil',
  'freshUntil',
  'heldUntil',
  'nextHeartbeatAt',
]);

type Kind = 'epoch' | 'revision' | 'sequence' | 'instant' | undefined;

const kindOf = (key: string): Kind =>
  EPOCHS.has(key)
    ? 'epoch'
    : REVISIONS.has(key)
      ? 'revision'
      : SEQUENCES.has(key)
        ? 'sequence'
        : INSTANTS.has(key)
          ? 'instant'
          : undefined;

export function normal(given: State): State {
  const state = forgetful(given);
  const found = { epoch: new Set<bigint>(), revision: new Set<bigint>(), sequence: new Set<number>() };
  visit(state, (kind, value) => {
    if (kind === 'epoch' || kind === 'revision') found[kind].add(value as bigint);
    if (kind === 'sequence') found.sequence.add(value as number);
  });
  const epochs = ranks(found.epoch, 0n, (index) => BigInt(index));
  const revisions = ranks(found.revision, 0n, (index) => BigInt(index));
  const sequences = ranks(found.sequence, 0, (index) => index);
  return rewrite(state, (kind, value) => {
    if (kind === 'epoch') return epochs.get(value as bigint);
    if (kind === 'revision') return revisions.get(value as bigint);
    if (kind === 'sequence') return sequences.get(value as number);
    return (value as number) < -OLD_MS ? LONG_AGO : value;
  }) as State;
}

/** Zero stays: it means that there is none. */
function ranks<T extends bigint | number>(values: ReadonlySet<T>, zero: T, of: (index: number) => T): ReadonlyMap<T, T> {
  const sorted = [...values].filter((value) => value !== zero).sort((a, b) => (a < b ? -1 : 1));
  return new Map([[zero, zero], ...sorted.map((value, index) => [value, of(index + 1)] as const)]);
}

/** Later by so much: all that was sent is older, all that ends is nearer. */
export const pass = (state: State, ms: number): State =>
  rewrite(state, (kind, value) => (kind === 'instant' ? later(value as Instant, -ms) : value)) as State;

function visit(value: unknown, found: (kind: Kind, value: unknown) => void, kind?: Kind): void {
  if (Array.isArray(value)) for (const each of value) visit(each, found, kind);
  else if (typeof value === 'object' && value !== null) for (const key in value) visit(value[key as never], found, kindOf(key));
  else if (kind !== undefined && value !== undefined) found(kind, value);
}

function rewrite(value: unknown, change: (kind: Kind, value: unknown) => unknown, kind?: Kind): unknown {
  if (Array.isArray(value)) return value.map((each) => rewrite(each, change, kind));
  if (typeof value === 'object' && value !== null) {
    const copy: Record<string, unknown> = {};
    for (const key in value) copy[key] = rewrite(value[key as never], change, kindOf(key));
    return copy;
  }
  return kind === undefined || value === undefined ? value : change(kind, value);
}

/** Infinity has no form in JSON, and bigints neither. */
export const keyOf = (state: State): string =>
  JSON.stringify(state, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value === LONG_AGO ? 'old' : value));
