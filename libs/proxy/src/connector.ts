import type { Socket } from 'node:net';
import type { Result } from '@sallyport/model';

/** How an instance reaches the application in its sandbox: over loopback, or through the sandbox's boundary process. */
export interface Connector {
  /**
   * Opens one connection to `port` of the application, `allowHalfOpen`, because tunnels are half-closed, and without
   * delay. An aborted dial leaves no socket behind, and an answer that comes
   * too late to be used is destroyed by the connector, never handed out. What its `data` brings is only lent: it is
   * overwritten once the listeners have returned.
   */
  dial(port: number, signal: AbortSignal): Promise<Result<Socket, DialFailure>>;
}

export type DialFailure =
  /** Nothing listens. */
  | { readonly kind: 'refused' }
  /** A port that may never be dialled: one of our own listeners, which would make a loop. */
  | { readonly kind: 'forbidden' }
  /** No answer to the attempt in time: the application's backlog is full, or the way to it is cut. */
  | { readonly kind: 'timeout' }
  | { readonly kind: 'aborted' }
  /** Anything else; `message` is for the log. */
  | { readonly kind: 'failed'; readonly message: string };
