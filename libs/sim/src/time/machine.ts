import type { ClockReading } from '@sallyport/model';

/**
 * The clocks of one machine, as functions of true time. The monotonic one runs at its own rate and stands still while the
 * machine is suspended; the wall goes on, and can be set; the one since boot goes on, and cannot.
 */
export interface MachineClock {
  read(trueMs: number): ClockReading;
  suspend(trueMs: number): void;
  resume(trueMs: number): void;
  /** Somebody sets the wall clock: ahead, or back. */
  setWall(byMs: number): void;
  readonly rate: number;
}

export interface MachineClockOptions {
  /** 1 is true; DESIGN allows one per cent either way. */
  readonly rate: number;
  readonly monotonicOriginMs: number;
  readonly wallOriginMs: number;
}

export function createMachineClock({ rate, monotonicOriginMs, wallOriginMs }: MachineClockOptions): MachineClock {
  let suspendedAt: number | undefined;
  let suspendedMs = 0;
  let wallSetMs = 0;
  return {
    rate,
    read(trueMs) {
      const stoodStill = suspendedMs + (suspendedAt === undefined ? 0 : trueMs - suspendedAt);
      return {
        monotonicMs: monotonicOriginMs + rate * (trueMs - stoodStill),
        // A wall clock reads in whole milliseconds.
        wallMs: Math.floor(wallOriginMs + rate * trueMs + wallSetMs),
        // Linux tells it in hundredths of a second.
        bootMs: () => Math.floor((monotonicOriginMs + rate * trueMs) / 10) * 10,
      };
    },
    suspend(trueMs) {
      suspendedAt ??= trueMs;
    },
    resume(trueMs) {
      if (suspendedAt === undefined) return;
      suspendedMs += trueMs - suspendedAt;
      suspendedAt = undefined;
    },
    setWall(byMs) {
      wallSetMs += byMs;
    },
  };
}
