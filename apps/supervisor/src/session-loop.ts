import { later, type MemberId, type SessionId } from '@sallyport/model';
import { backoffMs, type Clock, type Log, wait } from '@sallyport/process';
import { parseSessionResponse, sessionRequestMessage } from '@sallyport/wire';
import type { Credential } from './credential.ts';
import type { GatewayPort } from './gateway-port.ts';
import type { Hosted } from './hosted.ts';

export interface SessionLoopOptions {
  readonly hosted: Hosted;
  readonly memberId: MemberId;
  readonly credential: Credential;
  readonly capabilities: { readonly advertisements: boolean; readonly push: boolean };
  /** The gateway to talk to now; undefined while there is none. */
  readonly gateway: () => GatewayPort | undefined;
  readonly onAccepted: (sessionId: SessionId) => void;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Well below the two seconds after which a lost stream makes its owner suspect. */
const RETRY = { baseMs: 100, maxMs: 1_500 };
/** A session that has lasted for so long was a good one. */
const STEADY_MS = 10_000;

/** Keeps one session open for as long as the sandbox is assigned, with whichever gateway can be had. */
export async function keepSession(options: SessionLoopOptions): Promise<void> {
  const { hosted, clock, log, signal } = options;
  const { sandboxId } = hosted.assignment;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const gateway = options.gateway();
    // Without a gateway to ask nothing was tried, so there is nothing to back off from.
    if (gateway === undefined) attempt = 0;
    else {
      const startedAt = clock.now();
      const { accepted, why } = await converse(options, gateway);
      // One that ends as soon as it is open would else be opened ten times a second, and each time is a write to the store.
      if (accepted && clock.now() >= later(startedAt, STEADY_MS)) attempt = 0;
      if (!signal.aborted) log.info({ sandboxId, why }, accepted ? 'session lost' : 'session not accepted');
    }
    await wait(clock, backoffMs(attempt, options.random(), RETRY), signal);
  }
}

/** One session, from Hello to the end of its stream. */
async function converse(
  options: SessionLoopOptions,
  gateway: GatewayPort,
): Promise<{ readonly accepted: boolean; readonly why: string }> {
  const { hosted, memberId, credential, capabilities, signal } = options;
  const { sandboxId, runtimeId } = hosted.assignment;
  const ended = new AbortController();
  const stream = gateway.session(AbortSignal.any([signal, ended.signal]));
  let why = '';
  hosted.attach(
    (message) => void stream.send(sessionRequestMessage(message)),
    (reason) => {
      why = reason;
      ended.abort();
    },
  );
  const hello = { sandboxId, runtimeId, memberId, credential: credential(), capabilities };
  stream.send(sessionRequestMessage({ kind: 'hello', hello }));
  let accepted = false;
  for await (const raw of stream.received) {
    // A kind of message of a later release: whoever sends it does not count on it.
    if (raw.response === undefined) continue;
    const message = parseSessionResponse(raw);
    if (!message.ok) {
      why = message.error.message;
      break;
    }
    hosted.step({ kind: 'message', message: message.value });
    if (message.value.kind !== 'accepted') continue;
    accepted = true;
    options.onAccepted(message.value.sessionId);
  }
  ended.abort();
  hosted.attach(undefined, () => undefined);
  hosted.step({ kind: 'closed' });
  const failure = await stream.closed;
  return { accepted, why: why || failure?.message || 'ended by the gateway' };
}
