import { POLL_EVERY_MS } from '@sallyport/authority';
import type { MemberId, SessionId } from '@sallyport/model';
import { later } from '@sallyport/model';
import { type Clock, type Log, wait } from '@sallyport/process';
import { parsePollResponse, pollRequestMessage } from '@sallyport/wire';
import type { Credential } from './credential.ts';
import type { GatewayPort } from './gateway-port.ts';
import type { Hosted } from './hosted.ts';

export interface PollLoopOptions {
  readonly hosted: Hosted;
  readonly memberId: MemberId;
  readonly credential: Credential;
  readonly gateway: () => GatewayPort | undefined;
  /** The open session; a poll is a question within it. */
  readonly sessionId: () => SessionId | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** A poll that takes longer than this proves little about the present. */
const POLL_DEADLINE_MS = 3_000;
/** Before the first session, and after a failure. */
const RETRY_MS = 500;

/** Fetches the configuration each {@link POLL_EVERY_MS}; "not modified" keeps it fresh as well. */
export async function keepPolling(options: PollLoopOptions): Promise<void> {
  const { hosted, clock, signal } = options;
  const { sandboxId } = hosted.assignment;
  let polledIn: SessionId | undefined;
  let nextAt = clock.now();
  while (!signal.aborted) {
    const sessionId = options.sessionId();
    const gateway = options.gateway();
    // A new session asks at once: its gateway may have news.
    if (sessionId !== undefined && gateway !== undefined && (sessionId !== polledIn || clock.now() >= nextAt)) {
      const askedAt = clock.now();
      const answered = hosted.state().answered;
      const known = answered === undefined ? undefined : { revision: answered.revision, hash: answered.hash };
      const request = pollRequestMessage({
        sessionId,
        sandboxId,
        memberId: options.memberId,
        credential: options.credential(),
        known,
      });
      const given = await gateway.poll(request, {
        deadlineMs: POLL_DEADLINE_MS,
        signal,
      });
      const response = given.ok ? parsePollResponse(given.value) : given;
      if (response.ok) {
        hosted.step({ kind: 'polled', askedAt, ageMs: response.value.ageMs, configuration: response.value.configuration });
        polledIn = sessionId;
        nextAt = later(askedAt, POLL_EVERY_MS);
      } else if (!signal.aborted) options.log.info({ sandboxId, why: response.error.message }, 'poll failed');
    }
    await wait(clock, Math.min(RETRY_MS, Math.max(50, nextAt - clock.now())), signal);
  }
}
