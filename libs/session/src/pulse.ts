import { type Instant, LONG_AGO, later } from '@sallyport/model';

/**
 * Whether the gateway that took a member still answers at all. One that is stopped keeps its connections, and nothing that is
 * said to it fails; so it is asked, over the Join, and one question is under way at a time. Silence decides nothing about who
 * may serve: it is a reason to be with another gateway, which must have taken the member before this one is left.
 */
export interface Pulse {
  /** When it is to be looked at next. */
  readonly lookAt: Instant;
  /** Since when the question under way has had no answer; undefined: there is none. */
  readonly waitingSince: Instant | undefined;
  /** It has answered once: a gateway of an earlier release never does, and its silence says nothing. */
  readonly answers: boolean;
  /** Until then its silence is no reason to leave it. */
  readonly restsUntil: Instant;
}

/** From an answer to the next question, where the gateway does not ask for more. */
export const PING_EVERY_MS = 500;
/** Longer than a busy process stands still; with the one above it leaves half a second of two for the other gateway. */
export const PING_SILENT_MS = 1_000;
/** A look that comes later than this was held up. */
export const PING_STALL_MS = 250;
/** A member that has just left one gateway for its silence gives the next so long: all of them may be short of time. */
export const PING_REST_MS = 10_000;
/** Twice as long each time that the next is no better; at most this. */
export const PING_REST_MAX_MS = 300_000;
/**
 * Questions that a gateway takes in a second, whatever it has of members: a thousand ask each half second, ten thousand each 5 s.
 */
export const PINGS_PER_SECOND_MAX = 2_000;
/** The longest that a gateway may ask for. */
export const PING_AGAIN_MAX_MS = 60_000;

export const startPulse = (now: Instant, restsUntil: Instant): Pulse => ({
  lookAt: now,
  waitingSince: undefined,
  answers: false,
  restsUntil,
});

/** Looks at it when `lookAt` has come: asks when a question is due. */
export function look(pulse: Pulse, now: Instant): { readonly pulse: Pulse; readonly asks: boolean } {
  const lookAt = later(now, PING_EVERY_MS / 2);
  if (pulse.waitingSince === undefined) return { pulse: { ...pulse, lookAt, waitingSince: now }, asks: true };
  return { pulse: { ...pulse, lookAt, waitingSince: wasStopped(pulse, now) ? now : pulse.waitingSince }, asks: false };
}

/** It has answered, and says after how long it likes to be asked again. */
export const answeredPing = (pulse: Pulse, againMs: number, now: Instant): Pulse => ({
  ...pulse,
  answers: true,
  waitingSince: undefined,
  lookAt: later(now, Math.min(PING_AGAIN_MAX_MS, Math.max(PING_EVERY_MS, againMs))),
});

export const isSilent = (pulse: Pulse, now: Instant): boolean =>
  pulse.answers &&
  pulse.waitingSince !== undefined &&
  now >= later(pulse.waitingSince, PING_SILENT_MS) &&
  now >= pulse.restsUntil &&
  !wasStopped(pulse, now);

/** Whoever looks this late was stopped itself, and what it has not heard meanwhile says nothing about anybody else. */
const wasStopped = ({ lookAt }: Pulse, now: Instant): boolean => now > later(lookAt, PING_STALL_MS);

/** A gateway was left for its silence: for how long that is no reason to leave another. */
export interface Rest {
  readonly from: Instant;
  readonly ms: number;
}

/** Where every gateway is slow to answer, going from one to the other and back would help nobody. */
export function restAfterLeaving(last: Rest | undefined, now: Instant): Rest {
  const wasNoBetter = last !== undefined && now < later(last.from, 2 * last.ms);
  return { from: now, ms: wasNoBetter ? Math.min(PING_REST_MAX_MS, 2 * last.ms) : PING_REST_MS };
}

export const restsUntil = (rest: Rest | undefined): Instant => (rest === undefined ? LONG_AGO : later(rest.from, rest.ms));

/** What a gateway with so many members answers: they share what it takes. */
export const askAgainMs = (memberCount: number): number =>
  Math.min(PING_AGAIN_MAX_MS, Math.max(PING_EVERY_MS, Math.ceil((memberCount * 1_000) / PINGS_PER_SECOND_MAX)));
