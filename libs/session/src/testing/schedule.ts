import type { Instant } from '@sallyport/model';

/** Virtual time: runs what is due, in order, and nothing else. */
export interface Schedule {
  now(): Instant;
  after(ms: number, act: () => void): void;
  run(ms: number): void;
}

export function createSchedule(): Schedule {
  let now = 0;
  let made = 0;
  let due: { readonly at: number; readonly order: number; readonly act: () => void }[] = [];
  return {
    now: () => now as Instant,
    after(ms, act) {
      made += 1;
      due.push({ at: now + ms, order: made, act });
      due.sort((a, b) => a.at - b.at || a.order - b.order);
    },
    run(ms) {
      const end = now + ms;
      for (let next = due[0]; next !== undefined && next.at <= end; next = due[0]) {
        due = due.slice(1);
        now = next.at;
        next.act();
      }
      now = end;
    },
  };
}
