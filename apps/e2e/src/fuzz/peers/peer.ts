/** A whole request as another implementation understood it. */
export interface PeerRequest {
  readonly method: string;
  /** Whose resource it took it for: lower case, without port and trailing dot; '' where it named none. */
  readonly host: string;
  /** latin1 */
  readonly body: string;
}

export interface PeerOutcome {
  readonly requests: readonly PeerRequest[];
  /** Its own refusals: statuses of 400 and more, or what its parser said. */
  readonly refusals: readonly string[];
  /** It came to no end. */
  readonly hung: boolean;
}

/** The answer of an application, as another implementation passes it on or hands it out. */
export interface PeerAnswer {
  /** Undefined where it refused it, in whatever way. */
  readonly status: number | undefined;
  /** latin1 */
  readonly body: string;
  /** Said to be whole. */
  readonly whole: boolean;
}

/** Another implementation that reads the same bytes, in as many lanes as it is asked in at once. */
export interface Peer {
  readonly name: PeerName;
  /** @param again after a difference: with more patience, for the machine may have been busy */
  ask(lane: number, bytes: string, again: boolean): Promise<PeerOutcome>;
  /** Sends a good request, which the application answers with these bytes and the end of its connection. */
  askAnswer(lane: number, method: string, bytes: string): Promise<PeerAnswer>;
  close(): Promise<void>;
}

export type PeerName = 'node' | 'nginx' | 'haproxy';

export const plainHost = (host: string): string => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
