import type { Instant } from '@sallyport/model';
import type { Clock } from '@sallyport/process';

/** Waits for news or for a time, whichever comes first. News that come while nobody waits are kept: once, however many. */
export interface Wake {
  news(): void;
  until(instant: Instant): Promise<void>;
}

export function createWake(clock: Clock): Wake {
  let isNew = false;
  let resume: (() => void) | undefined;

  return {
    news() {
      isNew = true;
      resume?.();
    },
    async until(instant) {
      if (!isNew && instant > clock.now()) {
        await new Promise<void>((resolve) => {
          const cancel = clock.at(instant, () => resume?.());
          resume = () => {
            resume = undefined;
            cancel();
            resolve();
          };
        });
      }
      isNew = false;
    },
  };
}
