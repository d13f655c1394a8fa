import type { Random } from '../random.ts';
import type { Schedule } from '../time/schedule.ts';
import type { Network, Place } from './network.ts';

/**
 * One direction of one stream: in order and without loss, as TCP is, however long that takes. What meets a partition is
 * sent again until it gets through; another stream's messages may overtake it.
 */
export interface Pipe {
  send(does: string, arrive: () => void): void;
  /** What is under way is lost. */
  drop(): void;
  waitingCount(): number;
  /** Resolves when there is room for more, as a window has: a sender that asks for it makes nothing before it can leave. */
  room(): Promise<void>;
}

export interface PipeOptions {
  readonly schedule: Schedule;
  readonly network: Network;
  readonly random: Random;
  readonly from: Place;
  readonly to: Place;
}

const RETRY_MS = { min: 200, max: 1_000 };
/** Messages under way, above which there is no room. */
const WINDOW = 4;

interface Message {
  readonly does: string;
  readonly due: number;
  readonly arrive: () => void;
}

export function createPipe({ schedule, network, random, from, to }: PipeOptions): Pipe {
  let queue: Message[] = [];
  let pumping = false;
  let lastDue = 0;
  let waiting: (() => void)[] = [];

  function hasRoom(): void {
    if (waiting.length === 0 || queue.length >= WINDOW) return;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  function pump(): void {
    pumping = false;
    const first = queue[0];
    if (first === undefined) return;
    if (network.isBlocked(from, to)) return plan(random.between(RETRY_MS.min, RETRY_MS.max), first);
    queue.shift();
    const second = queue[0];
    if (second !== undefined) plan(second.due - schedule.now(), second);
    first.arrive();
    hasRoom();
  }

  function plan(ms: number, { does }: Message): void {
    if (pumping) return;
    pumping = true;
    schedule.after(ms, { who: to, does }, pump);
  }

  return {
    send(does, arrive) {
      lastDue = Math.max(lastDue, schedule.now() + network.latencyMs(from, to));
      const message = { does, due: lastDue, arrive };
      queue.push(message);
      if (queue.length === 1) plan(lastDue - schedule.now(), message);
    },
    drop() {
      queue = [];
      hasRoom();
    },
    waitingCount: () => queue.length,
    room() {
      if (queue.length < WINDOW) return Promise.resolve();
      return new Promise((resolve) => {
        waiting.push(resolve);
      });
    },
  };
}
