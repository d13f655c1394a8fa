import type { Result } from '@sallyport/model';
import { ok } from '@sallyport/model';
import { readArguments } from './arguments.ts';
import { formatHelp, type PositionalHelp } from './help.ts';
import type { Range } from './setting-kinds.ts';
import { createReader, environmentName, type Reader, type Setting } from './settings.ts';

/** Where settings come from. Flags beat the environment; an environment variable that is set but empty counts as unset. */
export interface Source {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The words after the program's name. */
  readonly args: readonly string[];
}

export type Reading<C> =
  | { readonly kind: 'read'; readonly config: C }
  /** Lines that list all options. */
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' }
  /** Everything that is wrong, one line each, saying what and how to mend it. */
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/**
 * Reads every setting once, at the door, and reports all errors together. `check` judges values against each other and
 * returns problems; it runs only when each value by itself is well.
 */
export function readAll<C>(
  source: Source,
  declare: (read: Reader) => C,
  check: (config: C) => readonly string[] = () => [],
): Reading<C> {
  const { settings, positional } = declared(declare);
  const given = readArguments(source.args, settings);
  if (given.asksFor === 'help') return { kind: 'help', text: formatHelp(settings, positional) };
  if (given.asksFor === 'version') return { kind: 'version' };

  const problems = [...given.problems];
  const take = (setting: Setting): unknown => {
    const value = readOne(setting, given.given.get(setting.name), source.env[environmentName(setting.name)]);
    if (value.ok) return value.value;
    problems.push(value.error);
    return undefined;
  };
  const config = declare(createReader(take, () => given.positionals));
  problems.push(...judgePositionals(given.positionals, positional));
  if (problems.length === 0) problems.push(...check(config));
  return problems.length === 0 ? { kind: 'read', config } : { kind: 'invalid', problems };
}

/** Runs the declaration once for what it declares alone. */
function declared(declare: (read: Reader) => unknown): { settings: readonly Setting[]; positional: PositionalHelp | undefined } {
  const settings = new Map<string, Setting>();
  let positional: PositionalHelp | undefined;
  const note = (setting: Setting): undefined => {
    if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(setting.name)) throw new Error(`"${setting.name}" is not a name for a setting`);
    if (settings.has(setting.name)) throw new Error(`setting "${setting.name}" is declared twice`);
    settings.set(setting.name, setting);
  };
  declare(
    createReader(note, (placeholder, meaning, count) => {
      positional = { placeholder, meaning, count };
      return [];
    }),
  );
  return { settings: [...settings.values()], positional };
}

function readOne(setting: Setting, flags: readonly string[] | undefined, variable: string | undefined): Result<unknown, string> {
  const flagged = flags !== undefined;
  const label = flagged ? `--${setting.name}` : environmentName(setting.name);
  const texts = flags ?? (variable === undefined || variable === '' ? undefined : [variable]);
  if (texts === undefined) return absent(setting);
  if (setting.takes === 'list') return listOf(setting, label, texts);
  const parsed = setting.parse(texts[0] as string);
  return parsed.ok ? parsed : { ok: false, error: `${label}: ${parsed.error}` };
}

function absent(setting: Setting): Result<unknown, string> {
  if (setting.need === 'optional') return ok(undefined);
  if (setting.need !== 'required') return ok(setting.need.otherwise);
  const { name, placeholder, meaning } = setting;
  return { ok: false, error: `--${name} is missing: give --${name}=${placeholder} or set ${environmentName(name)} (${meaning})` };
}

function listOf(setting: Setting, label: string, texts: readonly string[]): Result<unknown, string> {
  const parts = texts.flatMap((text) => text.split(setting.separator ?? ',')).map((part) => part.trim());
  const values: unknown[] = [];
  for (const part of parts) {
    const parsed = part === '' ? { ok: false as const, error: 'holds an empty entry: remove it' } : setting.parse(part);
    if (!parsed.ok) return { ok: false, error: `${label}: ${parsed.error}` };
    values.push(parsed.value);
  }
  const counted = judgeCount(values.length, setting.count ?? {});
  return counted === undefined ? ok(values) : { ok: false, error: `${label}: ${counted}` };
}

function judgePositionals(words: readonly string[], declaredAs: PositionalHelp | undefined): string[] {
  if (declaredAs === undefined) {
    return words.map((word) => `unexpected argument ${JSON.stringify(word.slice(0, 80))}: options begin with --`);
  }
  const counted = judgeCount(words.length, declaredAs.count);
  return counted === undefined ? [] : [`${declaredAs.placeholder} (${declaredAs.meaning}): ${counted}`];
}

function judgeCount(count: number, { min = 0, max = Number.POSITIVE_INFINITY }: Range): string | undefined {
  if (count < min) return `${count} given: at least ${min}`;
  return count > max ? `${count} given: at most ${max}` : undefined;
}
