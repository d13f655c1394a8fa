import { err, type Instant, later, type Nonce, ok, type Result } from '@sallyport/model';
import { LEASE_MS } from './timers.ts';

/** A question that only a supervisor alive now can answer: single use, dead after {@link LEASE_MS}. Never stored. */
export interface Challenge {
  readonly nonce: Nonce;
  readonly sequence: number;
  readonly sentAt: Instant;
}

/** Challenges that one session may have open: three ticks' worth and those sent at once after a change. */
export const OPEN_CHALLENGES_MAX = 8;

export interface Challenges {
  /** Oldest first. */
  readonly open: readonly Challenge[];
  readonly nextSequence: number;
}

export const NO_CHALLENGES: Challenges = { open: [], nextSequence: 1 };

export function ask(
  challenges: Challenges,
  nonce: Nonce,
  now: Instant,
): { readonly challenges: Challenges; readonly asked: Challenge } {
  const asked: Challenge = { nonce, sequence: challenges.nextSequence, sentAt: now };
  const alive = challenges.open.filter((challenge) => now < later(challenge.sentAt, LEASE_MS));
  return {
    challenges: { open: [...alive, asked].slice(-OPEN_CHALLENGES_MAX), nextSequence: challenges.nextSequence + 1 },
    asked,
  };
}

export type AnswerRefusal = 'nonce_unknown' | 'challenge_dead';

/** Uses a challenge up. Everything asked before it is used up with it: reports arrive in the order of their questions. */
export function answer(
  challenges: Challenges,
  given: { readonly nonce: Nonce; readonly sequence: number },
  now: Instant,
): Result<{ readonly challenges: Challenges; readonly answered: Challenge }, AnswerRefusal> {
  const answered = challenges.open.find((challenge) => challenge.sequence === given.sequence && challenge.nonce === given.nonce);
  if (answered === undefined) return err('nonce_unknown');
  // A report may come after its challenge died and before the next was made: a paused supervisor must not prolong
  // itself by an old answer, so the age is judged here.
  if (now >= later(answered.sentAt, LEASE_MS)) return err('challenge_dead');
  const open = challenges.open.filter((challenge) => challenge.sequence > answered.sequence);
  return ok({ challenges: { ...challenges, open }, answered });
}
