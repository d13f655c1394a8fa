import { shortIds } from './time/sim-process.ts';

/** What happened, a line an event: time, who, what. */
export interface Transcript {
  /** Whether anybody reads lines of this kind: ask before making a costly one. */
  wants(level: Level): boolean;
  say(level: Level, who: string, what: string): void;
  lines(): readonly string[];
}

/** `story`: what changed, for people. `detail`: every message, write and line of log as well. */
export type Level = 'story' | 'detail';

/** Whole, or the story and of the detail what matches. */
export type Reads = 'nothing' | Level | { readonly also: RegExp };

export function createTranscript(now: () => number, reads: Reads): Transcript {
  const lines: string[] = [];
  const wants = (level: Level): boolean => reads !== 'nothing' && (level === 'story' || reads !== 'story');
  const keeps = (level: Level, line: string): boolean => level === 'story' || typeof reads === 'string' || reads.also.test(line);
  return {
    wants,
    say(level, who, what) {
      if (!wants(level)) return;
      const line = `${seconds(now())}  ${who.padEnd(6)} ${shortIds(what)}`;
      if (keeps(level, line)) lines.push(line);
    },
    lines: () => lines,
  };
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(3).padStart(9);
