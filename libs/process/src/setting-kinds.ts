import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { isAbsolute } from 'node:path';
import { err, formatAddress, ok, type Result } from '@sallyport/model';

/** Where to listen, or whom to dial. `host` is an IP address without brackets, or a DNS name. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** One kind of setting: from text to a value, and back for `--help`. */
export interface Kind<T> {
  /** Stands for the value in `--help`, such as `HOST:PORT`. */
  readonly placeholder: string;
  /** The error goes on after "--name: " and says how to mend it. */
  readonly parse: (text: string) => Result<T, string>;
  readonly show: (value: T) => string;
}

export interface Range {
  readonly min?: number;
  readonly max?: number;
}

export const TEXT_LENGTH_MAX = 4_096;
/** Keys and tokens are a few KiB; more than this is the wrong file. */
export const SECRET_FILE_BYTES_MAX = 65_536;

export const text = ({ max = TEXT_LENGTH_MAX }: { readonly max?: number } = {}): Kind<string> => ({
  placeholder: 'TEXT',
  parse: (given) => {
    if (given === '') return err('is empty: give a value');
    if (given.length > max) return err(`has ${given.length} characters: at most ${max}`);
    return ok(given);
  },
  show: (value) => value,
});

export const integer = (range: Range = {}): Kind<number> => ({
  placeholder: 'N',
  parse: (given) =>
    /^\d{1,15}$/.test(given) ? within(Number(given), range, String) : err(`${quote(given)} is not a whole number`),
  show: String,
});

export const port = (range: Range = {}): Kind<number> => ({
  placeholder: 'PORT',
  parse: (given) => {
    const parsed = parsePort(given);
    return parsed === undefined ? err(`${quote(given)} is not a port: a number up to 65535`) : within(parsed, range, String);
  },
  show: String,
});

/** An address of this machine to listen on; port 0 takes any free one. */
export const address: Kind<Address> = {
  placeholder: 'IP:PORT',
  parse: (given) => {
    const parsed = splitAddress(given);
    if (parsed !== undefined && (isIP(parsed.host) !== 0 || parsed.host === 'localhost')) return ok(parsed);
    if (/^:\d+$/.test(given))
      return err(`${quote(given)} names no address: write 0.0.0.0${given} for all interfaces, or 127.0.0.1${given}`);
    return err(
      `${quote(given)} is not an address to listen on: write 127.0.0.1:8443, [::1]:8443, or 0.0.0.0:8443 for all interfaces`,
    );
  },
  show: formatAddress,
};

/** Another process to dial. */
export const hostPort: Kind<Address> = {
  placeholder: 'HOST:PORT',
  parse: (given) => {
    const parsed = splitAddress(given);
    if (parsed === undefined || !(isIP(parsed.host) !== 0 || HOST_NAME.test(parsed.host))) {
      return err(`${quote(given)} is not host:port, such as gateway.example:8444 or 10.0.0.7:8444`);
    }
    return parsed.port === 0 ? err(`${quote(given)}: port 0 cannot be dialled`) : ok(parsed);
  },
  show: formatAddress,
};

/** Milliseconds, written with a unit. */
export const duration = (range: Range = {}): Kind<number> => ({
  placeholder: 'DURATION',
  parse: (given) => {
    const [, count, unit] = /^(\d{1,9})(ms|s|m|h)$/.exec(given) ?? [];
    if (count === undefined || unit === undefined) return err(`${quote(given)} is not a duration: write 500ms, 10s, 5m or 1h`);
    return within(Number(count) * (DURATION_UNITS[unit] as number), range, formatDuration);
  },
  show: formatDuration,
});

/** Bytes. */
export const size = (range: Range = {}): Kind<number> => ({
  placeholder: 'SIZE',
  parse: (given) => {
    const [, count, unit = 'B'] = /^(\d{1,12})(B|KiB|MiB|GiB)?$/.exec(given) ?? [];
    if (count === undefined) return err(`${quote(given)} is not a size: write 32768, 32KiB or 1MiB`);
    return within(Number(count) * (SIZE_UNITS[unit] as number), range, formatSize);
  },
  show: formatSize,
});

export const choice = <const T extends string>(values: readonly T[]): Kind<T> => ({
  placeholder: values.join('|'),
  parse: (given) => {
    const found = values.find((value) => value === given);
    return found === undefined ? err(`${quote(given)} is not one of ${values.join(', ')}`) : ok(found);
  },
  show: (value) => value,
});

export const flag: Kind<boolean> = {
  placeholder: '',
  parse: (given) => {
    if (given === 'true' || given === '1') return ok(true);
    if (given === 'false' || given === '0') return ok(false);
    return err(`${quote(given)} is neither true nor false`);
  },
  show: String,
};

/** Path of a regular file that this process can read; its contents are read later, and again when it changes. */
export const file: Kind<string> = {
  placeholder: 'FILE',
  parse: (given) => onDisk(given, (path) => (statSync(path).isFile() ? readable(path) : err(`${quote(path)} is not a file`))),
  show: (value) => value,
};

/** Path of a directory that this process can read. */
export const directory: Kind<string> = {
  placeholder: 'DIR',
  parse: (given) =>
    onDisk(given, (path) => (statSync(path).isDirectory() ? readable(path) : err(`${quote(path)} is not a directory`))),
  show: (value) => value,
};

/** Path of a file whose contents are the value, less the line end that editors add. */
export const secretFile: Kind<string> = {
  placeholder: 'FILE',
  parse: (given) =>
    onDisk(given, (path) => {
      const bytes = statSync(path).size;
      if (bytes > SECRET_FILE_BYTES_MAX)
        return err(`${quote(path)} has ${bytes} bytes, more than a secret ever has: is it the right file?`);
      const contents = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
      return contents === '' ? err(`${quote(path)} is empty: put the secret into it`) : ok(contents);
    }),
  // A default for a secret would be one that everybody knows.
  show: () => '(secret)',
};

/** In the largest unit that divides it: 90000 is `90s`. */
export function formatDuration(ms: number): string {
  return formatUnits(ms, DURATION_UNITS, 'ms');
}

function formatSize(bytes: number): string {
  return formatUnits(bytes, SIZE_UNITS, 'B');
}

const DURATION_UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
const SIZE_UNITS: Readonly<Record<string, number>> = { GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10, B: 1 };
const HOST_NAME = /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,62})(?:\.[A-Za-z0-9_][A-Za-z0-9_-]{0,62})*\.?$/;

function formatUnits(amount: number, units: Readonly<Record<string, number>>, smallest: string): string {
  for (const [unit, factor] of Object.entries(units))
    if (amount !== 0 && amount % factor === 0) return `${amount / factor}${unit}`;
  return `${amount}${smallest}`;
}

function within(value: number, { min, max }: Range, show: (value: number) => string): Result<number, string> {
  if (min !== undefined && value < min) return err(`${show(value)} is too small: at least ${show(min)}`);
  if (max !== undefined && value > max) return err(`${show(value)} is too large: at most ${show(max)}`);
  return ok(value);
}

function parsePort(given: string): number | undefined {
  const parsed = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
  return parsed <= 65_535 ? parsed : undefined;
}

function splitAddress(given: string): Address | undefined {
  const [, bracketed, bare, portText] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d+)$/.exec(given) ?? [];
  const host = bracketed ?? bare;
  const parsed = portText === undefined ? undefined : parsePort(portText);
  if (host === undefined || parsed === undefined) return undefined;
  return bracketed !== undefined && !isIPv6(bracketed) ? undefined : { host, port: parsed };
}

function onDisk(path: string, judge: (path: string) => Result<string, string>): Result<string, string> {
  if (path === '') return err('is empty: give a path');
  try {
    return judge(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return err(`there is no ${quote(path)}${isAbsolute(path) ? '' : ` in ${process.cwd()}`}: check the path`);
    if (code === 'EACCES' || code === 'EPERM')
      return err(`${quote(path)} is not readable by this user: change its owner or mode`);
    return err(`${quote(path)} cannot be read (${code ?? 'unknown error'})`);
  }
}

function readable(path: string): Result<string, string> {
  accessSync(path, constants.R_OK);
  return ok(path);
}

/** Bounded, and on one line whatever was typed. */
export const quote = (given: string): string => JSON.stringify(given.length > 200 ? `${given.slice(0, 200)}…` : given);
