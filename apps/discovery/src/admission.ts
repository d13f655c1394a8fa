import { err, type Failure, failure, type Instant, ok, type Result } from '@sallyport/model';

/** How much one principal may ask for at once, so that one that has gone wrong does not take the rest down. */
export interface AdmissionLimits {
  /** Streams that one principal has open. */
  readonly streamsMax: number;
  /** Streams and snapshots that one principal may begin each second; twice as many at once after a pause. */
  readonly opensPerSecondMax: number;
}

export interface Admission {
  /** Whether it may begin something that costs a snapshot. */
  begin(principal: string, now: Instant): Result<void, Failure>;
  /** Whether it may hold one more stream; the value gives it back. */
  hold(principal: string): Result<() => void, Failure>;
  readonly streamCount: number;
}

interface Account {
  streams: number;
  /** Opens that are left, as of `at`. */
  left: number;
  at: Instant;
}

/** Principals that are remembered without a stream. */
const ACCOUNTS_MAX = 10_000;

export function createAdmission({ streamsMax, opensPerSecondMax }: AdmissionLimits): Admission {
  const accounts = new Map<string, Account>();
  const burst = 2 * opensPerSecondMax;
  let streamCount = 0;

  function accountOf(principal: string, now: Instant): Account {
    const known = accounts.get(principal);
    if (known !== undefined) return known;
    if (accounts.size >= ACCOUNTS_MAX) for (const [name, { streams }] of accounts) if (streams === 0) accounts.delete(name);
    const made = { streams: 0, left: burst, at: now };
    accounts.set(principal, made);
    return made;
  }

  return {
    begin(principal, now) {
      const account = accountOf(principal, now);
      account.left = Math.min(burst, account.left + (Math.max(0, now - account.at) / 1_000) * opensPerSecondMax);
      account.at = now;
      if (account.left < 1)
        return err(failure('over-limit', `${principal} opens more than ${opensPerSecondMax} streams or snapshots a second`));
      account.left -= 1;
      return ok(undefined);
    },
    hold(principal) {
      const account = accounts.get(principal) ?? accountOf(principal, 0 as Instant);
      if (account.streams >= streamsMax) return err(failure('over-limit', `${principal} has ${streamsMax} streams open already`));
      account.streams += 1;
      streamCount += 1;
      let isHeld = true;
      return ok(() => {
        if (isHeld) {
          account.streams -= 1;
          streamCount -= 1;
        }
        isHeld = false;
      });
    },
    get streamCount() {
      return streamCount;
    },
  };
}
