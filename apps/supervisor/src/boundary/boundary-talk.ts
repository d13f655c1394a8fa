import { later, type Nonce, type RuntimeId } from '@sallyport/model';
import { type Clock, type Log, wait } from '@sallyport/process';
import { FENCE_ANSWER_LENGTH_MAX } from '@sallyport/wire';
import type { Asker } from './ask.ts';

/** What a supervisor says to the boundary of one sandbox and hears from it, whatever carries it: all but the ways themselves. */
export interface BoundaryTalk {
  /** For the next report; undefined when the boundary does not answer in time: then the report goes without. */
  nonce(): Promise<Nonce | undefined>;
  /** The newest leave: used for every way that is opened from now on, and told at once for those that are open. */
  present(token: string): void;
  /** The boundary's signed answer; undefined when it does not confirm. */
  fence(token: string): Promise<Uint8Array | undefined>;
  /** The newest leave; undefined: none has come yet. */
  newest(): string | undefined;
  /** Resolves with a token that is not `than`, or undefined when none comes in time. */
  newerToken(than: string | undefined, signal: AbortSignal): Promise<string | undefined>;
}

export interface BoundaryTalkOptions {
  readonly asker: Pick<Asker, 'ask'>;
  readonly runtimeId: RuntimeId;
  readonly clock: Clock;
  readonly log: Log;
  /** Nothing is said any more. */
  readonly signal: AbortSignal;
}

/** It stands beside untrusted code: what a gateway would refuse is not passed on, or it could end its session. */
const NONCE = /^[A-Za-z0-9_-]{22}$/;
/** A report does not wait longer: it is asked for a second before the beat that carries it, and its lease matters more. */
const NONCE_MS = 500;
/**
 * Without a leave nobody is served, so there is nothing that matters more: the boundary is waited for, this long in all. It may
 * be starting together with its sandbox, or greet slowly where everything starts at once; and a report without a nonce would
 * bring no leave until the beat after it, five seconds later.
 */
const FIRST_MS = 3_000;
const FIRST_NONCE_MS = 1_500;
const FIRST_AGAIN_MS = 100;
const PRESENT_MS = 2_000;
/** Presented again this often after a failure, while it is the newest. */
const PRESENT_AGAIN_MS = 500;
const PRESENT_TRIES_MAX = 5;
const FENCE_MS = 1_500;
const FENCE_TRIES_MAX = 3;
/** How long a request waits for a token that gives the right: after a takeover, a new port, another life of the boundary. */
const TOKEN_WAIT_MS = 2_000;

export function createBoundaryTalk({ asker, runtimeId, clock, log, signal }: BoundaryTalkOptions): BoundaryTalk {
  let newest: string | undefined;
  let waiting: (() => void)[] = [];

  async function tell(token: string): Promise<void> {
    for (let attempt = 0; attempt < PRESENT_TRIES_MAX && newest === token && !signal.aborted; attempt += 1) {
      const told = await asker.ask('PUT', '/token', token, PRESENT_MS);
      if (told.ok) return;
      log.warn({ runtimeId, why: told.error.message }, 'the boundary did not take a token');
      // It has judged; only another token can help.
      if (told.error.why !== undefined) return;
      await wait(clock, PRESENT_AGAIN_MS, signal);
    }
  }

  return {
    async nonce() {
      const firstBy = later(clock.now(), FIRST_MS);
      for (;;) {
        const issued = await asker.ask('POST', '/nonce', '', newest === undefined ? FIRST_NONCE_MS : NONCE_MS);
        if (issued.ok && NONCE.test(String(issued.value.nonce))) return issued.value.nonce as Nonce;
        const refused = issued.ok || issued.error.why !== undefined;
        if (refused || newest !== undefined || signal.aborted || clock.now() >= firstBy) {
          log.warn({ runtimeId, why: issued.ok ? 'no nonce' : issued.error.message }, 'the boundary issues no nonce');
          return undefined;
        }
        await wait(clock, FIRST_AGAIN_MS, signal);
      }
    },
    present(token) {
      newest = token;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
      void tell(token);
    },
    async fence(token) {
      for (let attempt = 0; attempt < FENCE_TRIES_MAX && !signal.aborted; attempt += 1) {
        const answered = await asker.ask('POST', '/fence', token, FENCE_MS);
        const answer = answered.ok ? answered.value.answer : undefined;
        if (typeof answer === 'string' && answer.length <= FENCE_ANSWER_LENGTH_MAX) return Buffer.from(answer, 'latin1');
        log.warn({ runtimeId, why: answered.ok ? 'no answer' : answered.error.message }, 'the boundary does not confirm a fence');
        if (!answered.ok && answered.error.why !== undefined) return undefined;
        await wait(clock, PRESENT_AGAIN_MS, signal);
      }
      return undefined;
    },
    newest: () => newest,
    async newerToken(than, aborted) {
      const until = later(clock.now(), TOKEN_WAIT_MS);
      while (newest === than && !aborted.aborted && clock.now() < until) {
        await new Promise<void>((resolve) => {
          const cancel = clock.at(until, resolve);
          const end = (): void => {
            cancel();
            aborted.removeEventListener('abort', end);
            resolve();
          };
          waiting.push(end);
          aborted.addEventListener('abort', end);
        });
      }
      return newest === than ? undefined : newest;
    },
  };
}
