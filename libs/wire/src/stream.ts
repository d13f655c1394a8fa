import type { Failure } from '@sallyport/model';

/** One end of an open stream of messages; the same shape for client and server. */
export interface Stream<Sent, Received> {
  /**
   * Queues a message. False: it was not taken, because the stream is over or its queue is full; a full queue ends the
   * stream with RESOURCE_EXHAUSTED, for a reader that cannot keep up must start over.
   */
  send(message: Sent): boolean;
  /** Resolves when all that was queued has been passed on, or the call is over: whoever has much to send waits for it. */
  drained(): Promise<void>;
  /** Ends our side in good order, after what was queued. On a server the whole call is then over. */
  end(): void;
  /** Ends the call at once with a refusal; what is queued is dropped. On a client: cancels. */
  fail(failure: Failure): void;
  /**
   * What the other side sends, in order; reading it slowly holds the other side back. Ends when the other side has
   * ended or the call is over, and never throws: `closed` says why. To be read once, to the end or until `fail`. A peer
   * that vanished may look like one that has ended.
   */
  readonly received: AsyncIterable<Received>;
  /** Aborted when the call is over, for whatever reason. */
  readonly signal: AbortSignal;
  /** Resolves when the call is over: with the failure, or undefined when it ended in good order. Never rejects. */
  readonly closed: Promise<Failure | undefined>;
}
