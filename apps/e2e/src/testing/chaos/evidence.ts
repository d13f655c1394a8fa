import type { FaultKind } from './schedule.ts';

/**
 * What the run knows, from outside and from the two ends. All times are milliseconds of the machine's one monotonic clock, which
 * every process on it reads alike.
 */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** One question to one listener, under an id of its own, and what came of it. */
export interface Asked {
  readonly id: string;
  readonly sandbox: string;
  /** The supervisor whose listener was asked. */
  readonly listener: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly outcome: Outcome;
}

export type Outcome =
  | { readonly kind: 'right' }
  /** One of our answers that says no: its status and code. */
  | { readonly kind: 'refused'; readonly why: string }
  /** The listener knows no such name: its handshake fails by an alert. */
  | { readonly kind: 'unknown-name' }
  /** No answer: nothing listens, the connection broke, or nothing came in time. */
  | { readonly kind: 'no-answer'; readonly why: string }
  /** An answer that nobody should ever get. */
  | { readonly kind: 'wrong'; readonly why: string };

/** Something that reached an application, written down by the application itself. */
export interface Delivery {
  readonly sandbox: string;
  readonly at: number;
  /** Which of the application's connections: the other end's port, and when it was taken by the wall clock. */
  readonly peerPort: number;
  readonly connectedAtWallMs: number;
  /** Of the request, or of the tunnel's handshake. */
  readonly id: string;
  /** Of a tunnel's line: when its client wrote it. */
  readonly line?: { readonly writtenAt: number };
  /** The application's count after it. */
  readonly count: number;
}

/** A boundary's word on whose channel it opened. */
export interface Opened {
  readonly sandbox: string;
  /** Its place in all that this boundary said. */
  readonly order: number;
  readonly atWallMs: number;
  readonly localPort: number;
  readonly epoch: bigint;
  readonly memberId: string;
}

/** One change of an owner record, at the earliest moment at which any of the watches on the store told it. */
export interface OwnerMove {
  readonly sandbox: string;
  readonly seenAt: number;
  readonly kind: 'released' | 'offered' | 'owned' | 'fencing' | 'deleted';
  readonly epoch: bigint;
  readonly memberId?: string;
}

/** A member as the store first told of it. */
export interface MemberSeen {
  readonly memberId: string;
  readonly seenAt: number;
  readonly appPort: number;
}

/** What discovery said. */
export interface Sight {
  readonly sandbox: string;
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly shown?: { readonly port: number; readonly ttlMs: number };
}

/** A fault as it was done. */
export interface Done {
  readonly number: number;
  readonly kind: FaultKind;
  readonly target: string;
  /** Since the run began. */
  readonly plannedAt: number;
  readonly startedAt: number;
  readonly healedAt: number;
}

/** The workload's process, asked directly. */
export interface Workload {
  readonly sandbox: string;
  readonly pid: number;
  readonly startedAtTicks: string;
  readonly life: string;
  /** Of memory that it filled at its start and never touches. */
  readonly digest: string;
  readonly count: number;
}

export interface Listener {
  readonly name: string;
  readonly port: number;
  /** When each life of its process began. */
  readonly startedAt: readonly number[];
}

export interface SandboxFacts {
  readonly name: string;
  readonly mode: 'shared' | 'dedicated';
  readonly hasBoundary: boolean;
  /** Who may ever serve it. */
  readonly listeners: readonly string[];
}

export interface Evidence {
  readonly sandboxes: readonly SandboxFacts[];
  readonly listeners: readonly Listener[];
  readonly asked: readonly Asked[];
  readonly deliveries: readonly Delivery[];
  readonly opened: readonly Opened[];
  readonly moves: readonly OwnerMove[];
  readonly members: readonly MemberSeen[];
  readonly sights: readonly Sight[];
  readonly faults: readonly Done[];
  readonly before: readonly Workload[];
  readonly after: readonly Workload[];
}
