/** The rules of the executions T1 to T8, each by the shell around the production code that would break it. */
export const RULES = ['T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7-wait', 'T7-age', 'T8'] as const;

export type Rule = (typeof RULES)[number];

/** What a search of ownership is about. */
export interface Setting {
  readonly mode: 'shared' | 'dedicated';
  /** Taken out. */
  readonly without: Rule | undefined;
  /** Whether the second gateway and its member do at once what they can: who follows soon is the danger. */
  readonly followsAtOnce: boolean;
  /** How many commits a gateway's view may be behind. */
  readonly lagMax: number;
  /** How many messages are under way to one member. */
  readonly messagesMax: number;
  /** How a tenure ends: its owner is suspected, or asked to let go. */
  readonly by: 'suspicion' | 'release';
  /** How often. */
  readonly changesMax: number;
}
