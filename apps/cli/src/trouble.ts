/** 64 is EX_USAGE of sysexits.h: what was typed is wrong. 1: it was right and did not work. */
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 64;

/** Why a command did not do what was asked: one line that says what, why and what next. */
export interface Trouble {
  readonly exitCode: typeof EXIT_FAILED | typeof EXIT_USAGE;
  readonly text: string;
}

export const failed = (text: string): Trouble => ({ exitCode: EXIT_FAILED, text });
export const misused = (text: string): Trouble => ({ exitCode: EXIT_USAGE, text });
