import type { CallOptions } from '@grpc/grpc-js';
import { later } from '@sallyport/model';
import type { Etcd3, IResponseHeader } from 'etcd3';
import type { StoreClock } from '../clock.ts';
import type { Connection } from './connection.ts';
import { CallFailure, failureOf } from './failure.ts';
import type { Witness } from './witness.ts';

/** One request and its answer, within one deadline that begins now. */
export interface Caller {
  /** Sends at most once. */
  once<T extends Answer>(send: Send<T>): Promise<T | CallFailure>;
  /** For what may be sent twice: asks another member while there is time. */
  untilAnswered<T extends Answer>(send: Send<T>): Promise<T | CallFailure>;
}

export type Send<T> = (etcd: Etcd3, options: CallOptions) => Promise<T>;
interface Answer {
  readonly header: IResponseHeader;
}

export interface CallerOptions {
  readonly connection: Connection;
  readonly witness: Witness;
  readonly clock: StoreClock;
  readonly deadlineMs: number;
}

export function createCaller({ connection, witness, clock, deadlineMs }: CallerOptions): Caller {
  async function call<T extends Answer>(send: Send<T>, repeat: boolean): Promise<T | CallFailure> {
    const instant = later(clock.now(), deadlineMs);
    for (;;) {
      const link = await connection.proven(instant);
      if (link === undefined) return new CallFailure('no-answer', `etcd is not reachable: ${connection.problem()}`);
      const outcome = await attempt(send, link.etcd, link.options(Math.max(1, instant - clock.now())));
      if (!(outcome instanceof CallFailure) || outcome.kind !== 'no-answer') return outcome;
      connection.suspect(link);
      if (!repeat || clock.now() >= instant) return outcome;
    }
  }

  async function attempt<T extends Answer>(send: Send<T>, etcd: Etcd3, options: CallOptions): Promise<T | CallFailure> {
    try {
      const answer = await send(etcd, options);
      const objection = witness.problem(answer.header);
      return objection === undefined ? answer : new CallFailure('no-answer', objection);
    } catch (error) {
      return failureOf(error);
    }
  }

  return { once: (send) => call(send, false), untilAnswered: (send) => call(send, true) };
}
