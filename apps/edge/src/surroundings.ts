import type { OnReadOpts, Socket } from 'node:net';
import type { Host, Instant } from '@sallyport/model';
import type { CidrSet, ClientCounts } from '@sallyport/proxy';
import type { ClientShares } from './client-shares.ts';
import type { Ending, Refusal } from './endings.ts';
import type { Limits } from './limits.ts';
import type { Published } from './published.ts';

/** One line of the access log: once for each connection that was passed on. */
export interface PassageRecord {
  readonly host: Host;
  readonly endpoint: string;
  readonly client: string;
  readonly ending: Ending;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** From the accepted connection on. */
  readonly durationMs: number;
  /** Of that, until the supervisor was reached. */
  readonly reachedMs: number;
}

/** One that was not. `name` as asked for, once that is known. */
export interface RefusalRecord {
  readonly reason: Refusal;
  readonly client: string;
  readonly name?: string;
}

export type DialFault = 'refused' | 'timeout' | 'other';

export interface Observer {
  readonly refused: (record: RefusalRecord) => void;
  readonly reached: (reachedMs: number) => void;
  readonly ended: (record: PassageRecord) => void;
  readonly dialFailed: (fault: DialFault, endpoint: string) => void;
  readonly acceptFailed: () => void;
  /** What has gone through since the last time. */
  readonly passed: (bytesIn: number, bytesOut: number) => void;
}

export interface Tally {
  bytesIn: number;
  bytesOut: number;
  pending: number;
}

/** What all connections of an edge have in common. */
export interface Surroundings {
  /** The time as it was at most a few milliseconds ago: a full reading is too dear for each step and chunk. */
  readonly recently: () => Instant;
  readonly limits: Limits;
  readonly published: Published;
  /** Peers whose PROXY header is believed. */
  readonly trusted: CidrSet;
  /** Whether supervisors get a PROXY header in front of everything. */
  readonly sendsProxy: boolean;
  readonly dial: (address: string, port: number, onread: OnReadOpts) => Socket;
  readonly observer: Observer;
  readonly clients: ClientShares;
  readonly hosts: ClientCounts;
  /** Of all connections together. */
  readonly tally: Tally;
}
