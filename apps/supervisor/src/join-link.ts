import { type Instant, later } from '@sallyport/model';
import type { Cancel, Clock } from '@sallyport/process';
import { answeredPing, isSilent, look, startPulse } from '@sallyport/session';
import { type Assignment, joinRequestMessage, type MemberState, parseJoinResponse } from '@sallyport/wire';
import type { GatewayPort } from './gateway-port.ts';

/** A Join that a gateway has accepted. */
export interface JoinLink {
  readonly gateway: GatewayPort;
  readonly gatewayId: string;
  /** Tells the gateway how the member is now. */
  tell(state: MemberState): void;
  close(): void;
  /** It has left the question under way unanswered for too long. */
  silent(): boolean;
  /** Resolves with the reason when it is over. */
  readonly ended: Promise<string>;
}

export interface JoinOptions {
  readonly gateway: GatewayPort;
  readonly hello: Omit<Parameters<typeof joinRequestMessage>[0] & { kind: 'hello' }, 'kind'>;
  readonly onAssignments: (assignments: readonly Assignment[]) => void;
  /** Whether to ask it now and then if it is still there; undefined: there is no other to go to. Else from when on that matters. */
  readonly pulseFrom: Instant | undefined;
  /** It was looked at and found silent. */
  readonly onSilent: () => void;
  readonly acceptMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A gateway that takes longer than this to accept is as good as none. */
export const ACCEPT_MS = 3_000;
/**
 * The most that it is given, twice as long after each time that none had answered: a gateway that a thousand members have come to at once
 * takes longer, and what it has done for a Join that was given up is lost.
 */
export const ACCEPT_MS_MAX = 12_000;

/** The reason of a Join that was given up. */
export const NO_ANSWER = 'it does not answer';

/** Joins through one gateway. The text says why it was not accepted. Assignments are told only once it is adopted: `begin`. */
export async function openJoin({
  gateway,
  hello,
  onAssignments,
  pulseFrom,
  onSilent,
  acceptMs,
  clock,
  signal,
}: JoinOptions): Promise<{ readonly link: JoinLink; begin(): void } | string> {
  const closing = new AbortController();
  const stream = gateway.join(AbortSignal.any([signal, closing.signal]));
  stream.send(joinRequestMessage({ kind: 'hello', ...hello }));
  const responses = stream.received[Symbol.asyncIterator]();
  let isLate = false;
  const cancel = clock.at(later(clock.now(), acceptMs), () => {
    isLate = true;
    closing.abort();
  });
  const first = await responses.next();
  cancel();
  const accepted = first.done ? undefined : parseJoinResponse(first.value);
  if (accepted === undefined) return isLate ? NO_ANSWER : ((await stream.closed)?.message ?? 'it ended the Join');
  if (!accepted.ok || accepted.value.kind !== 'accepted') {
    closing.abort();
    return accepted.ok ? 'it answered out of turn' : accepted.error.message;
  }

  const over = Promise.withResolvers<string>();
  let pulse = startPulse(clock.now(), pulseFrom ?? clock.now());
  let cancelLook: Cancel = () => undefined;

  function lookAtPulse(): void {
    const looked = look(pulse, clock.now());
    pulse = looked.pulse;
    if (looked.asks) stream.send(joinRequestMessage({ kind: 'ping' }));
    else if (isSilent(pulse, clock.now())) onSilent();
    cancelLook = clock.at(pulse.lookAt, lookAtPulse);
  }

  function hearPong(againMs: number): void {
    cancelLook();
    pulse = answeredPing(pulse, againMs, clock.now());
    cancelLook = clock.at(pulse.lookAt, lookAtPulse);
  }

  async function follow(): Promise<void> {
    for (let next = await responses.next(); !next.done; next = await responses.next()) {
      // A kind of message of a later release: whoever sends it does not count on it.
      if (next.value.response === undefined) continue;
      const response = parseJoinResponse(next.value);
      if (!response.ok) {
        stream.fail(response.error);
        break;
      }
      if (closing.signal.aborted) continue;
      if (response.value.kind === 'assignments') onAssignments(response.value.assignments);
      else if (response.value.kind === 'pong' && pulseFrom !== undefined) hearPong(response.value.againMs);
    }
    cancelLook();
    over.resolve((await stream.closed)?.message ?? 'ended by the gateway');
  }
  return {
    begin() {
      if (pulseFrom !== undefined) lookAtPulse();
      void follow();
    },
    link: {
      gateway,
      gatewayId: accepted.value.gatewayId,
      tell: (state) => void stream.send(joinRequestMessage({ kind: 'state', state })),
      close() {
        cancelLook();
        closing.abort();
      },
      silent: () => isSilent(pulse, clock.now()),
      ended: over.promise,
    },
  };
}
