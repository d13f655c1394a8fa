import type { Result } from '@sallyport/model';
import type { Connections } from './connections.ts';
import type { Trouble } from './trouble.ts';

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** Undefined: a flag without a value. */
  readonly placeholder?: string;
  readonly meaning: string;
  /** The only values that are taken. */
  readonly choices?: readonly string[];
  /** `SALLYPORT_<NAME>` does the same; only for what holds for many commands. */
  readonly fromEnvironment?: true;
}

export interface Command {
  /** Such as `service expose`. */
  readonly words: readonly string[];
  /** One line for lists of commands. */
  readonly summary: string;
  /** As in the usage line; empty: none. */
  readonly argumentsForm: string;
  readonly argumentsMin: number;
  readonly argumentsMax: number;
  readonly options: readonly Option[];
  /** Whole command lines, for people to copy. */
  readonly examples: readonly string[];
  /** Longer words for `--help`, if any. */
  readonly about?: string;
  run(input: Input): Promise<Result<void, Trouble>>;
}

/** What a command gets: checked words, and ways to speak. */
export interface Input {
  readonly args: readonly string[];
  option(name: string): string | undefined;
  flag(name: string): boolean;
  /** People read tables, programs read JSON. */
  readonly json: boolean;
  /** To stdout: what was asked for. A line end is added. */
  print(text: string): void;
  /** To stderr: how it goes on. A line end is added. */
  progress(text: string): void;
  readonly connections: Connections;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What relative paths start from. */
  readonly cwd: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Options that every command takes. */
export const COMMON_OPTIONS: readonly Option[] = [
  { name: 'gateway', placeholder: 'HOST:PORT', meaning: 'Operator port of a gateway.', fromEnvironment: true },
  { name: 'discovery', placeholder: 'HOST:PORT', meaning: 'Port of a discovery replica.', fromEnvironment: true },
  { name: 'token-file', placeholder: 'FILE', meaning: 'File that holds your token.', fromEnvironment: true },
  { name: 'ca-file', placeholder: 'FILE', meaning: 'CA that signed their certificates, PEM.', fromEnvironment: true },
  {
    name: 'state-dir',
    placeholder: 'DIR',
    meaning: 'Of the dev stack to talk to, by default the nearest .sallyport.',
    fromEnvironment: true,
  },
  {
    name: 'output',
    short: 'o',
    placeholder: 'table|json',
    meaning: 'For people or for programs.',
    choices: ['table', 'json'],
    fromEnvironment: true,
  },
  { name: 'help', short: 'h', meaning: 'Shows this.' },
];
