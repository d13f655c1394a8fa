import { later } from '@sallyport/model';
import type { Network } from '../net/network.ts';
import type { Random } from '../random.ts';
import type { Schedule } from '../time/schedule.ts';
import type { SimProcess } from '../time/sim-process.ts';
import type { StoreFaults, StoreSeen } from './faults.ts';

export const STORE = 'store';
/** As the client of etcd gives up. */
export const DEADLINE_MS = 2_000;
/** How late an operation may still happen that its caller has given up. */
const LATE_MS = 20_000;

export type Answer<T> = { readonly kind: 'answered'; readonly value: T } | { readonly kind: 'none'; readonly why: string };

export interface Transport {
  /** Carries one operation to the store and its answer back; each may be lost, or late. Operations overtake each other. */
  ask<T>(operation: Operation, act: () => Promise<T>): Promise<Answer<T>>;
}

export type Operation = 'get' | 'list' | 'commit' | 'lease' | 'keepalive' | 'revoke';

export interface TransportOptions {
  readonly schedule: Schedule;
  readonly network: Network;
  readonly random: Random;
  readonly client: SimProcess;
  readonly place: string;
  readonly faults: StoreFaults;
  readonly isDown: () => boolean;
  readonly seen: StoreSeen;
}

export function createTransport({ schedule, network, random, client, place, faults, isDown, seen }: TransportOptions): Transport {
  function ask<T>(operation: Operation, act: () => Promise<T>): Promise<Answer<T>> {
    return new Promise((resolve) => {
      let settled = false;
      let happened = false;
      const settle = (answer: Answer<T>): void => {
        if (settled) return;
        settled = true;
        cancelDeadline();
        resolve(answer);
      };
      const cancelDeadline = client.clock.at(later(client.clock.now(), DEADLINE_MS), () => {
        if (operation === 'commit' && !settled) {
          seen.count('commits unknown');
          seen.count(happened ? 'unknown, committed' : 'unknown, not committed');
        }
        settle({ kind: 'none', why: 'the store did not answer' });
      });
      const happen = (): void => {
        happened = true;
        if (settled && operation === 'commit') seen.count('commits late');
        void act().then((value) => {
          if (!client.alive() || random.chance(faults.answerLost)) return;
          schedule.after(network.latencyMs(STORE, place), { who: client.name, does: `${operation} answered` }, () => {
            if (!isDown() && !network.isBlocked(STORE, place))
              client.deliver(`${operation} answered`, () => settle({ kind: 'answered', value }));
          });
        });
      };
      const late = random.chance(faults.late);
      const lost = random.chance(faults.requestLost);
      const delayMs = network.latencyMs(place, STORE) + (late ? random.between(0, LATE_MS) : 0);
      schedule.after(delayMs, { who: STORE, does: operation }, () => {
        if (lost) return;
        if (!isDown() && !network.isBlocked(place, STORE)) return happen();
        // Somewhere it may still lie and be delivered: on a server that was paused, in a socket that is sent again.
        if (random.chance(0.5)) return;
        schedule.after(random.between(0, LATE_MS), { who: STORE, does: `${operation}, late` }, () => {
          if (!isDown() && !network.isBlocked(place, STORE)) happen();
        });
      });
    });
  }

  return { ask };
}
