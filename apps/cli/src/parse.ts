import { parseArgs } from 'node:util';
import { err, ok, type Result } from '@sallyport/model';
import { COMMON_OPTIONS, type Command, type Option } from './command.ts';
import { misused, type Trouble } from './trouble.ts';

export type Parsed =
  | { readonly kind: 'run'; readonly command: Command; readonly args: readonly string[]; readonly values: Values }
  /** Help for everything that begins with these words. */
  | { readonly kind: 'help'; readonly words: readonly string[] }
  | { readonly kind: 'version' };

export type Values = Readonly<Record<string, string | boolean | undefined>>;

export const environmentName = (option: string): string => `SALLYPORT_${option.toUpperCase().replaceAll('-', '_')}`;

/** Reads a command line against the table of commands. */
export function parseCommandLine(
  commands: readonly Command[],
  typed: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Result<Parsed, Trouble> {
  const argv = commandFirst(typed);
  const firstOption = argv.findIndex((word) => word.startsWith('-'));
  const leading = firstOption < 0 ? argv : argv.slice(0, firstOption);
  if (leading.length === 0 && argv.includes('--version')) return ok({ kind: 'version' });
  if (leading[0] === 'help') return helpFor(commands, leading.slice(1));
  const command = commands.find(({ words }) => words.every((word, index) => leading[index] === word));
  if (command === undefined) return withoutCommand(commands, leading, argv);

  const options = [...command.options, ...COMMON_OPTIONS];
  const read = readOptions(options, argv.slice(command.words.length));
  if (!read.ok) return err(misused(`${read.error}; see: sallyport ${command.words.join(' ')} --help`));
  const { values, positionals } = read.value;
  if (values.help === true) return ok({ kind: 'help', words: command.words });
  const filled = fillIn(options, values, env);
  if (!filled.ok) return filled;
  if (positionals.length < command.argumentsMin || positionals.length > command.argumentsMax)
    return err(misused(usageLine(command, positionals)));
  return ok({ kind: 'run', command, args: positionals, values: filled.value });
}

/** Options of all commands may stand before the command as well: they are moved behind it. */
function commandFirst(argv: readonly string[]): readonly string[] {
  let count = 0;
  for (let word = argv[count]; word?.startsWith('-'); word = argv[count]) {
    const option = COMMON_OPTIONS.find(({ name, short }) => word === `--${name}` || word === `-${short}`);
    count += option?.placeholder === undefined ? 1 : 2;
  }
  return [...argv.slice(count), ...argv.slice(0, count)];
}

const usageLine = (command: Command, given: readonly string[]): string => {
  const problem =
    given.length < command.argumentsMin ? 'something is missing' : `${JSON.stringify(given[command.argumentsMax])} is too much`;
  return `${problem}: the form is sallyport ${[...command.words, command.argumentsForm].filter(Boolean).join(' ')}`;
};

/** Words that lead to no command: a group alone shows its commands, anything else is a mistake. */
function withoutCommand(
  commands: readonly Command[],
  leading: readonly string[],
  argv: readonly string[],
): Result<Parsed, Trouble> {
  const asksForHelp = argv.length === leading.length || argv.includes('--help') || argv.includes('-h');
  if (asksForHelp && isGroup(commands, leading)) return ok({ kind: 'help', words: leading });
  if (leading.length === 0)
    return err(misused(`${JSON.stringify(argv[0] ?? '')} comes before any command; see: sallyport --help`));
  return unknownCommand(commands, leading);
}

function helpFor(commands: readonly Command[], words: readonly string[]): Result<Parsed, Trouble> {
  return isGroup(commands, words) ? ok({ kind: 'help', words }) : unknownCommand(commands, words);
}

const isGroup = (commands: readonly Command[], words: readonly string[]): boolean =>
  commands.some((command) => words.every((word, index) => command.words[index] === word));

function unknownCommand(commands: readonly Command[], words: readonly string[]): Result<never, Trouble> {
  const depth = words.findIndex((_word, index) => !isGroup(commands, words.slice(0, index + 1)));
  const known = [
    ...new Set(commands.filter((command) => isGroup([command], words.slice(0, depth))).map((command) => command.words[depth])),
  ];
  const group = ['sallyport', ...words.slice(0, depth)].join(' ');
  return err(
    misused(`there is no ${JSON.stringify(`${group} ${words[depth] ?? ''}`)}; known are: ${known.filter(Boolean).join(', ')}`),
  );
}

function readOptions(
  options: readonly Option[],
  argv: readonly string[],
): Result<{ values: Values; positionals: string[] }, string> {
  const config = Object.fromEntries(
    options.map(({ name, short, placeholder }) => [
      name,
      { type: placeholder === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options: config, allowPositionals: true, strict: true });
    return ok({ values: values as Values, positionals });
  } catch (error) {
    // Node explains at length how to pass such a word all the same; its first sentence says what is wrong.
    return err(`${(error as Error).message.split(/[.\n] ?/)[0] ?? 'the options cannot be read'}`);
  }
}

/** Takes from the environment what was not given, and checks choices. A variable that is set but empty counts as unset. */
function fillIn(
  options: readonly Option[],
  given: Values,
  env: Readonly<Record<string, string | undefined>>,
): Result<Values, Trouble> {
  const values: Record<string, string | boolean | undefined> = { ...given };
  for (const { name, fromEnvironment, choices } of options) {
    const variable = environmentName(name);
    const label = values[name] === undefined ? variable : `--${name}`;
    if (values[name] === undefined && fromEnvironment) values[name] = env[variable] || undefined;
    const value = values[name];
    if (value === '') return err(misused(`${label} is empty: give a value`));
    if (typeof value === 'string' && choices !== undefined && !choices.includes(value)) {
      return err(misused(`${label}: ${JSON.stringify(value)} is not one of ${choices.join(', ')}`));
    }
  }
  return ok(values);
}
