import { err, later, ok, type Result } from '@sallyport/model';
import type { Log } from '@sallyport/process';
import { type AskFailure, type BoundaryLink, createBoundaryTalk } from '@sallyport/supervisor/member';
import type { Assignment } from '@sallyport/wire';
import { createPipe } from '../net/pipe.ts';
import { twice } from '../net/twice.ts';
import type { SimProcess } from '../time/sim-process.ts';
import type { BoundaryLife } from './boundary-node.ts';
import type { Surroundings } from './surroundings.ts';

/** A supervisor's way to the boundary of one sandbox: production's talk over simulated wires, and bytes that never cease. */
export interface SimBoundaryLink extends BoundaryLink {
  /** The boundary that it would reach now, whether or not it would let anything through. */
  reaches(): BoundaryLife | undefined;
}

/**
 * Somebody always asks for something; and the supervisor's own judgement is left out, since a process that was stopped
 * behind it sends what it has when it goes on. So whatever token it has, it uses.
 */
const BYTES_EACH_MS = { min: 600, max: 2_500 };
/** Of bytes, that come on a new way although there is one. */
const NEW_WAY_PROBABILITY = 0.3;
const PORT = 8_080;

export function createSimBoundaryLink(
  process: SimProcess,
  place: string,
  { runtimeId, boundaryAddress }: Assignment,
  log: Log,
  surroundings: Surroundings,
): SimBoundaryLink {
  const { schedule, network, boundaries, coverage } = surroundings;
  const { clock, random } = process;
  const closing = new AbortController();
  let address = boundaryAddress ?? '';
  let wayCount = 0;
  let way = '';

  /** Nobody else's boundary will do: its certificate names the runtime. */
  const node = () => {
    const found = boundaries.at(address);
    return found?.runtimeId === runtimeId ? found : undefined;
  };
  const pipe = createPipe({ schedule, network, random, from: place, to: node()?.place ?? place });

  function ask(
    method: string,
    path: string,
    body: string,
    withinMs: number,
  ): Promise<Result<Readonly<Record<string, unknown>>, AskFailure>> {
    return new Promise((resolve) => {
      const to = node();
      const cancel = clock.at(later(clock.now(), withinMs), () => settle(err({ message: `no answer within ${withinMs} ms` })));
      function settle(answer: Result<Readonly<Record<string, unknown>>, AskFailure>): void {
        cancel();
        resolve(answer);
      }
      if (to === undefined) return settle(err({ message: 'nobody with that certificate is there' }));
      const does = `boundary ${path}`;
      twice(surroundings, place, to.place, does, () => {
        const life = to.life();
        if (life === undefined) {
          schedule.after(network.latencyMs(to.place, place), { who: process.name, does: 'refused' }, () =>
            process.deliver('refused', () => settle(err({ message: 'connection refused' }))),
          );
          return;
        }
        life.process.deliver(does, () => {
          void life.answer(method, path, body).then((answered) => {
            schedule.after(network.latencyMs(to.place, place), { who: process.name, does: `${does} answered` }, () => {
              if (network.isBlocked(to.place, place)) return;
              process.deliver(`${does} answered`, () =>
                settle(
                  'said' in answered
                    ? ok(answered.said)
                    : err({ message: `it refuses: ${answered.refusal}`, why: answered.refusal }),
                ),
              );
            });
          });
        });
      });
    });
  }

  const talk = createBoundaryTalk({ asker: { ask }, runtimeId, clock, log, signal: closing.signal });

  function sendBytes(): void {
    const token = talk.newest();
    if (token === undefined) return;
    if (way === '' || random.chance(NEW_WAY_PROBABILITY)) {
      wayCount += 1;
      way = `${process.name}/${wayCount}`;
    }
    const chunk = { way, token, port: PORT };
    coverage['bytes sent'] += 1;
    pipe.send('bytes', () => {
      const life = node()?.life();
      life?.process.deliver('bytes', () => void life.take(chunk));
    });
  }
  clock.every(random.between(BYTES_EACH_MS.min, BYTES_EACH_MS.max), () => {
    if (!closing.signal.aborted) sendBytes();
  });
  // What is under way when it dies may still arrive.
  process.onKill(() => {
    if (random.chance(0.5)) pipe.drop();
  });

  return {
    dial: () => Promise.resolve({ ok: false, error: { kind: 'refused' } }),
    nonce: talk.nonce,
    present: talk.present,
    fence: talk.fence,
    moveTo(next) {
      address = next;
    },
    close: () => closing.abort(),
    reaches: () => node()?.life(),
  };
}
