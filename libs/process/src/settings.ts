import type { Result } from '@sallyport/model';
import type { Address, Kind, Range } from './setting-kinds.ts';
import * as kinds from './setting-kinds.ts';

/** A setting without either is required. */
export interface Presence<T> {
  readonly optional?: true;
  readonly otherwise?: T;
}

export type Given<T, O> = O extends { readonly optional: true } ? T | undefined : T;

/** One declared setting: the long flag `--name`, the environment variable `SALLYPORT_NAME`, and a line of `--help`. */
export interface Setting {
  /** Lower case, words joined by hyphens. */
  readonly name: string;
  readonly meaning: string;
  readonly takes: 'value' | 'flag' | 'list';
  readonly placeholder: string;
  readonly parse: (text: string) => Result<unknown, string>;
  readonly need: 'required' | 'optional' | { readonly otherwise: unknown; readonly shown: string };
  /** How many a list must and may hold. */
  readonly count?: Range;
  /** Between the entries of a list that are given as one text; a comma unless set. */
  readonly separator?: string;
}

/**
 * Declares settings and returns their values. A declaration must only put values together, never compute with them: it
 * runs twice, first to learn what there is, with every value undefined, and values that were refused are undefined too.
 * What needs values (one setting given with another) belongs in `check` of `readAll`.
 */
export interface Reader {
  text<const O extends Presence<string> & { readonly max?: number }>(
    name: string,
    meaning: string,
    options?: O,
  ): Given<string, O>;
  /** An address to listen on: an IP address or `localhost`, and a port; 0 takes any free one. */
  address<const O extends Presence<Address>>(name: string, meaning: string, options?: O): Given<Address, O>;
  /** Another process to dial: a DNS name or IP address, and a port. */
  hostPort<const O extends Presence<Address>>(name: string, meaning: string, options?: O): Given<Address, O>;
  port<const O extends Presence<number> & Range>(name: string, meaning: string, options?: O): Given<number, O>;
  integer<const O extends Presence<number> & Range>(name: string, meaning: string, options?: O): Given<number, O>;
  /** Milliseconds; written with a unit: ms, s, m or h. */
  duration<const O extends Presence<number> & Range>(name: string, meaning: string, options?: O): Given<number, O>;
  /** Bytes; written plain or in KiB, MiB or GiB. */
  size<const O extends Presence<number> & Range>(name: string, meaning: string, options?: O): Given<number, O>;
  /** Path of a file that can be read now. */
  file<const O extends Presence<string>>(name: string, meaning: string, options?: O): Given<string, O>;
  directory<const O extends Presence<string>>(name: string, meaning: string, options?: O): Given<string, O>;
  /** Contents of the file whose path is given. */
  secretFile<const O extends { readonly optional?: true }>(name: string, meaning: string, options?: O): Given<string, O>;
  choice<const T extends string, const O extends Presence<T>>(
    name: string,
    meaning: string,
    values: readonly T[],
    options?: O,
  ): Given<T, O>;
  /** False unless given. */
  flag(name: string, meaning: string): boolean;
  /** Anything else; the error text goes on after "--name: " and says how to mend it. */
  parsed<
    T,
    const O extends Presence<NoInfer<T>> & { readonly placeholder?: string; readonly show?: (value: NoInfer<T>) => string },
  >(name: string, meaning: string, parse: (text: string) => Result<T, string>, options?: O): Given<T, O>;
  /** The flag again for each, or commas (or another `separator`) between them. Empty unless given. */
  list<T>(
    name: string,
    meaning: string,
    parse: (text: string) => Result<T, string>,
    options?: Range & { readonly placeholder?: string; readonly otherwise?: readonly T[]; readonly separator?: string },
  ): readonly T[];
  /** Words without a flag; without this they are refused. */
  positionals(placeholder: string, meaning: string, options?: Range): readonly string[];
}

/** Makes a reader over one function that turns a declared setting into its value. */
export function createReader(
  take: (setting: Setting) => unknown,
  positionals: (placeholder: string, meaning: string, count: Range) => readonly string[],
): Reader {
  const value = <T>(name: string, meaning: string, kind: Kind<T>, presence: Presence<T> = {}): never =>
    take({
      name,
      meaning,
      takes: 'value',
      placeholder: kind.placeholder,
      parse: kind.parse,
      need: needOf(presence, kind.show),
    }) as never;

  return {
    text: (name, meaning, options) => value(name, meaning, kinds.text(options), options),
    address: (name, meaning, options) => value(name, meaning, kinds.address, options),
    hostPort: (name, meaning, options) => value(name, meaning, kinds.hostPort, options),
    port: (name, meaning, options) => value(name, meaning, kinds.port(options), options),
    integer: (name, meaning, options) => value(name, meaning, kinds.integer(options), options),
    duration: (name, meaning, options) => value(name, meaning, kinds.duration(options), options),
    size: (name, meaning, options) => value(name, meaning, kinds.size(options), options),
    file: (name, meaning, options) => value(name, meaning, kinds.file, options),
    directory: (name, meaning, options) => value(name, meaning, kinds.directory, options),
    secretFile: (name, meaning, options) => value(name, meaning, kinds.secretFile, options),
    choice: (name, meaning, values, options) => value(name, meaning, kinds.choice(values), options),
    parsed: (name, meaning, parse, options) =>
      value(name, meaning, { placeholder: options?.placeholder ?? 'VALUE', parse, show: options?.show ?? String }, options),
    flag: (name, meaning) =>
      take({
        name,
        meaning,
        takes: 'flag',
        placeholder: '',
        parse: kinds.flag.parse,
        need: { otherwise: false, shown: '' },
      }) as boolean,
    list: (name, meaning, parse, { placeholder = 'VALUE', otherwise = [], separator = ',', ...count } = {}) =>
      take({
        name,
        meaning,
        takes: 'list',
        placeholder,
        parse,
        need: (count.min ?? 0) > 0 ? 'required' : { otherwise, shown: otherwise.map(String).join(',') },
        count,
        separator,
      }) as never,
    positionals: (placeholder, meaning, options = {}) => positionals(placeholder, meaning, options),
  };
}

function needOf<T>(presence: Presence<T>, show: (value: T) => string): Setting['need'] {
  if (presence.otherwise !== undefined) return { otherwise: presence.otherwise, shown: show(presence.otherwise) };
  return presence.optional === true ? 'optional' : 'required';
}

export const environmentName = (name: string): string => `SALLYPORT_${name.toUpperCase().replaceAll('-', '_')}`;
