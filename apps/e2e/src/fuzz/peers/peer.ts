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

/** Another implementation that reads the same bytes, in as many lanes as it is asked in at once. */
export interface Peer {
  readonly name: PeerName;
  /** @param again after a difference: with more patience, for the machine may have been busy */
  ask(lane: number, bytes: string, again: boolean): Promise<PeerOutcome>;
  close(): Promise<void>;
}

export type PeerName = 'node' | 'nginx' | 'haproxy';

export const plainHost = (host: string): string => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
