export interface TerminalKind {
  /** It can move the cursor. */
  readonly isTerminal: boolean;
  readonly color: boolean;
}

/** What the environment says of the terminal (no-color.org: NO_COLOR counts when it is not empty). */
export function terminalKind(env: Readonly<Record<string, string | undefined>>, isTTY: boolean): TerminalKind {
  const isTerminal = isTTY && env.TERM !== 'dumb';
  const has = (name: string): boolean => (env[name] ?? '') !== '';
  return { isTerminal, color: isTerminal && !has('NO_COLOR') };
}
