import { COMMON_OPTIONS, type Command, type Option } from './command.ts';
import { environmentName } from './parse.ts';

const COLUMN = 30;

/** Help for one command, or for the group of commands that begin with these words. */
export function formatHelp(commands: readonly Command[], words: readonly string[]): string {
  const command = commands.find((each) => each.words.length === words.length && beginsWith(each, words));
  return command === undefined
    ? groupHelp(
        commands.filter((each) => beginsWith(each, words)),
        words,
      )
    : commandHelp(command);
}

const beginsWith = (command: Command, words: readonly string[]): boolean =>
  words.every((word, index) => command.words[index] === word);

function groupHelp(commands: readonly Command[], words: readonly string[]): string {
  const forms = commands.map((command) =>
    entry([...command.words, command.argumentsForm].filter(Boolean).join(' '), command.summary, 44),
  );
  return [
    `Usage: sallyport ${[...words, 'COMMAND'].join(' ')} [options]`,
    '',
    'Commands:',
    ...forms,
    '',
    ...optionLines('Options of all commands', COMMON_OPTIONS),
    '',
    'By default the commands talk to the dev stack that runs here (npm start).',
    'In a checkout, sallyport is: npm run -s sallyport --',
    'More about one of them: sallyport COMMAND --help',
  ].join('\n');
}

function commandHelp(command: Command): string {
  const options = command.options.length === 0 ? [] : [...optionLines('Options', command.options), ''];
  return [
    `Usage: sallyport ${[...command.words, command.argumentsForm, '[options]'].filter(Boolean).join(' ')}`,
    '',
    command.summary,
    ...(command.about === undefined ? [] : ['', command.about]),
    '',
    'Examples:',
    ...command.examples.map((example) => `  ${example}`),
    '',
    ...options,
    ...optionLines('Options of all commands', COMMON_OPTIONS),
  ].join('\n');
}

const optionLines = (title: string, options: readonly Option[]): string[] => [
  `${title}:`,
  ...options.map(({ name, short, placeholder, meaning, fromEnvironment }) => {
    const head = `${short === undefined ? '' : `-${short}, `}--${name}${placeholder === undefined ? '' : ` ${placeholder}`}`;
    return entry(head, fromEnvironment ? `${meaning} [${environmentName(name)}]` : meaning, COLUMN);
  }),
];

const entry = (head: string, text: string, column: number): string =>
  head.length > column - 4 ? `  ${head}\n${' '.repeat(column)}${text}` : `  ${head.padEnd(column - 2)}${text}`;
