/** How the reader of the command line takes one declared option. */
export interface OptionShape {
  readonly name: string;
  /** `flag` takes no following word; only `list` may be given more than once. */
  readonly takes: 'value' | 'flag' | 'list';
}

export interface Arguments {
  /** What was given for each option, as text, in order. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
  readonly problems: readonly string[];
  readonly asksFor: 'help' | 'version' | undefined;
}

/** Takes `--name=value`, `--name value`, `--flag`, `--flag=false`; after `--` all words are positional. */
export function readArguments(words: readonly string[], shapes: readonly OptionShape[]): Arguments {
  const byName = new Map(shapes.map((shape) => [shape.name, shape]));
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  const problems: string[] = [];
  let asksFor: Arguments['asksFor'];

  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as string;
    if (word === '--') {
      positionals.push(...words.slice(index + 1));
      break;
    }
    if (word === '--help' || word === '-h') {
      asksFor = 'help';
      continue;
    }
    if (word === '--version') {
      asksFor ??= 'version';
      continue;
    }
    if (!word.startsWith('-') || word === '-') {
      positionals.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const name = word.slice(2, equals === -1 ? undefined : equals);
    const shape = word.startsWith('--') ? byName.get(name) : undefined;
    const following = words[index + 1];
    if (shape === undefined) {
      problems.push(unknownOption(equals === -1 ? word : word.slice(0, equals), [...byName.keys()]));
      // Most likely its value: reporting that too would hide the one thing to mend.
      if (equals === -1 && following !== undefined && !following.startsWith('-')) index += 1;
      continue;
    }
    let value: string;
    if (equals !== -1) value = word.slice(equals + 1);
    else if (shape.takes === 'flag') value = 'true';
    else if (following !== undefined && !following.startsWith('--')) {
      value = following;
      index += 1;
    } else {
      problems.push(`--${name} needs a value: write --${name}=VALUE`);
      continue;
    }
    const earlier = given.get(name);
    if (earlier === undefined) given.set(name, [value]);
    else if (shape.takes === 'list') earlier.push(value);
    else problems.push(`--${name} is given more than once: keep one of them`);
  }
  return { given, positionals, problems, asksFor };
}

function unknownOption(word: string, names: readonly string[]): string {
  const bare = word.replace(/^-+/, '');
  const near = nearest(bare, [...names, 'help', 'version']);
  const shown = JSON.stringify(word.slice(0, 80)).slice(1, -1);
  return near === undefined
    ? `there is no option ${shown}: --help lists those that there are`
    : `there is no option ${shown}: did you mean --${near}?`;
}

/** The name that is fewest edits away, if it is near enough to be a slip of the hand. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const name of names) {
    // A name cut short ("log" for "log-level") is a likely slip, whatever its distance.
    const distance = word.length >= 3 && name.startsWith(word) ? 1 : editDistance(word, name);
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** Levenshtein distance; words are options, so a few dozen characters. */
function editDistance(a: string, b: string): number {
  if (a.length > 100) return Number.POSITIVE_INFINITY;
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      current.push(
        Math.min((previous[column] as number) + 1, (current[column - 1] as number) + 1, (previous[column - 1] as number) + same),
      );
    }
    previous = current;
  }
  return previous[b.length] as number;
}
