import type { BoundaryClaims } from '@sallyport/authority';
import { createGuard, type Guard } from '@sallyport/boundary/guard';
import type { OwnerEpoch, RuntimeId } from '@sallyport/model';
import type { SimProcess } from '../time/sim-process.ts';
import { fenceAnswer, verify } from './signatures.ts';
import type { Surroundings } from './surroundings.ts';

/** One life of the boundary beside one life of a workload: production's guard, and the ways that it lets through. */
export interface BoundaryLife {
  readonly process: SimProcess;
  readonly runtimeId: RuntimeId;
  readonly guard: Guard;
  /** What supervisors ask, as the boundary's requests.ts answers it. */
  answer(method: string, path: string, body: string): Promise<Answered>;
  /** A chunk for the application, on a way that is opened with the token when it is not yet. */
  take(chunk: Chunk): Promise<void>;
}

export type Answered = { readonly said: Readonly<Record<string, unknown>> } | { readonly refusal: string };

export interface Chunk {
  /** Of its way; ways of one boundary have different ones. */
  readonly way: string;
  readonly token: string;
  readonly port: number;
}

/** The place where it stands; it goes with the life of the workload. */
export interface BoundaryNode {
  readonly place: string;
  readonly address: string;
  readonly runtimeId: RuntimeId;
  life(): BoundaryLife | undefined;
  start(): void;
  crash(): void;
  /** The Pod is gone: nothing starts here again. */
  end(): void;
}

interface Way {
  readonly claims: BoundaryClaims;
  readonly epoch: OwnerEpoch;
  readonly port: number;
}

export function createBoundaryNode(
  place: string,
  address: string,
  runtimeId: RuntimeId,
  { spawn, bytes, coverage, transcript }: Surroundings,
): BoundaryNode {
  let life: BoundaryLife | undefined;
  let isGone = false;

  function begin(): BoundaryLife {
    const process = spawn(place);
    const ways = new Map<string, Way>();
    const guard = createGuard({
      runtimeId,
      verify,
      clock: process.clock,
      randomId: process.randomId,
      // What may not go on is cut in the very turn in which rights change.
      onChange() {
        for (const [way, { epoch, port }] of ways) if (!guard.mayForward(epoch, port)) ways.delete(way);
      },
    });
    process.clock.every(SWEEP_EVERY_MS, () => guard.sweep());
    const mine: BoundaryLife = {
      process,
      runtimeId,
      guard,
      async answer(method, path, body) {
        switch (`${method} ${path}`) {
          case 'POST /nonce': {
            const nonce = guard.issue();
            if (!nonce.ok) return { refusal: nonce.error };
            bytes.issued(mine, nonce.value);
            return { said: { nonce: nonce.value, life: process.name } };
          }
          case 'PUT /token': {
            const claims = await guard.present(body);
            if (!claims.ok) return { refusal: claims.error };
            bytes.presented(mine, claims.value);
            return { said: { life: process.name } };
          }
          case 'POST /fence': {
            const order = await guard.fence(body);
            if (!order.ok) return { refusal: order.error };
            bytes.fenced(mine, order.value);
            return { said: { life: process.name, answer: fenceAnswer(order.value, runtimeId) } };
          }
          default:
            return { refusal: 'not_found' };
        }
      },
      async take({ way, token, port }) {
        let open = ways.get(way);
        if (open === undefined) {
          const claims = await guard.present(token);
          if (!claims.ok) return refused(claims.error);
          bytes.presented(mine, claims.value);
          const right = guard.mayOpen(claims.value.ownerEpoch, port);
          if (!right.ok) return refused(right.error);
          open = { claims: claims.value, epoch: claims.value.ownerEpoch, port };
          ways.set(way, open);
          bytes.opened(mine, open.claims);
        }
        if (guard.mayForward(open.epoch, port)) return bytes.delivered(mine, open.claims);
        ways.delete(way);
        return refused('cut');
      },
    };
    return mine;
  }

  function refused(why: string): void {
    coverage['bytes refused'] += 1;
    transcript.say('detail', place, `refuses bytes: ${why}`);
  }

  return {
    place,
    address,
    runtimeId,
    life: () => life,
    start() {
      if (life !== undefined || isGone) return;
      life = begin();
      transcript.say('story', life.process.name, `stands beside ${runtimeId}`);
    },
    crash() {
      life?.process.kill();
      life = undefined;
    },
    end() {
      this.crash();
      isGone = true;
    },
  };
}

/** As production: it only tidies up. */
const SWEEP_EVERY_MS = 5_000;
