export type ServiceState = 'starting' | 'serving' | 'withdrawn' | 'rejected' | 'unreachable' | 'not fresh';

export interface ServiceRow {
  /** As in `team/demo/web`. */
  readonly name: string;
  readonly url: string;
  /** As in `127.0.0.1:3000`. */
  readonly target: string;
  readonly state: ServiceState;
  /** Why it is in that state, in one sentence. */
  readonly detail?: string;
  readonly requestCount: number;
  readonly liveStreamCount: number;
  readonly lastError?: LastError;
}

export interface LastError {
  readonly code: string;
  readonly reason: string;
  /** How to mend it; a command stands on a line of its own. */
  readonly hint?: string;
}

/** A process of the stack, or what stands for it in this one. */
export interface PartRow {
  readonly name: string;
  readonly state: 'starting' | 'ready' | 'not ready' | 'ended';
  readonly detail?: string;
}

export interface KeyHint {
  readonly key: string;
  readonly does: string;
}

/** All that the screen shows. A whole value each time: what changed is found here. */
export interface ScreenModel {
  readonly services: readonly ServiceRow[];
  readonly notes: readonly string[];
  readonly parts?: readonly PartRow[];
  readonly keys?: readonly KeyHint[];
}
