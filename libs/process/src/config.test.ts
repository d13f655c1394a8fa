import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { err, ok } from '@sallyport/model';
import { afterAll, describe, expect, test } from 'vitest';
import { type Reading, readAll } from './config.ts';
import type { Reader } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(folder, { recursive: true }));
const inFolder = (name: string, contents: string): string => {
  writeFileSync(join(folder, name), contents);
  return join(folder, name);
};
const keyFile = inFolder('key.pem', 'the key\n');
const emptyFile = inFolder('empty', '\n');

/** One setting called `it`, of each kind. */
const kinds: Record<string, (read: Reader) => unknown> = {
  text: (read: Reader) => read.text('it', 'Meaning.', { max: 10 }),
  address: (read: Reader) => read.address('it', 'Meaning.'),
  hostPort: (read: Reader) => read.hostPort('it', 'Meaning.'),
  port: (read: Reader) => read.port('it', 'Meaning.', { min: 1 }),
  integer: (read: Reader) => read.integer('it', 'Meaning.', { min: 2, max: 9 }),
  duration: (read: Reader) => read.duration('it', 'Meaning.', { min: 1_000, max: 60_000 }),
  size: (read: Reader) => read.size('it', 'Meaning.', { max: 2 ** 20 }),
  file: (read: Reader) => read.file('it', 'Meaning.'),
  directory: (read: Reader) => read.directory('it', 'Meaning.'),
  secretFile: (read: Reader) => read.secretFile('it', 'Meaning.'),
  choice: (read: Reader) => read.choice('it', 'Meaning.', ['dedicated', 'shared']),
  flag: (read: Reader) => read.flag('it', 'Meaning.'),
  list: (read: Reader) => read.list('it', 'Meaning.', (text) => (text.length === 1 ? ok(text) : err('is long')), { max: 3 }),
  parsed: (read: Reader) => read.parsed('it', 'Meaning.', (text) => (text === 'yes' ? ok(1) : err('say yes'))),
};

const one = (kind: string, args: readonly string[], env: Record<string, string> = {}): unknown =>
  outcome(readAll({ args, env }, kinds[kind] as (read: Reader) => unknown));
const outcome = <C>(reading: Reading<C>): unknown =>
  reading.kind === 'read' ? reading.config : reading.kind === 'invalid' ? reading.problems.join(' | ') : reading.kind;

describe('a value', () => {
  const taken: [kind: string, given: string, value: unknown][] = [
    ['text', 'some text', 'some text'],
    ['address', '127.0.0.1:8443', { host: '127.0.0.1', port: 8443 }],
    ['address', '[::1]:0', { host: '::1', port: 0 }],
    ['address', 'localhost:80', { host: 'localhost', port: 80 }],
    ['hostPort', 'gateway.default.svc:8444', { host: 'gateway.default.svc', port: 8444 }],
    ['hostPort', '[fd00::7]:1', { host: 'fd00::7', port: 1 }],
    ['port', '65535', 65_535],
    ['integer', '9', 9],
    ['duration', '1000ms', 1_000],
    ['duration', '1m', 60_000],
    ['size', '32768', 32_768],
    ['size', '1MiB', 2 ** 20],
    ['file', keyFile, keyFile],
    ['directory', folder, folder],
    ['secretFile', keyFile, 'the key'],
    ['choice', 'shared', 'shared'],
    ['flag', 'false', false],
    ['list', 'a,b', ['a', 'b']],
    ['parsed', 'yes', 1],
  ];
  test.each(taken)('%s takes %s', (kind, given, value) => {
    expect(one(kind, [`--it=${given}`])).toEqual(value);
    expect(one(kind, [], { SALLYPORT_IT: given })).toEqual(value);
  });

  const refused: [kind: string, given: string, problem: RegExp][] = [
    ['text', '', /is empty/],
    ['text', '12345678901', /11 characters: at most 10/],
    ['address', ':8443', /write 0\.0\.0\.0:8443 for all interfaces/],
    ['address', 'example.com:8443', /not an address to listen on/],
    ['address', '127.0.0.1', /not an address/],
    ['address', '127.0.0.1:65536', /not an address/],
    ['address', '::1:80', /not an address/],
    ['hostPort', 'gateway:0', /port 0 cannot be dialled/],
    ['hostPort', 'https://gateway:1', /not host:port/],
    ['hostPort', 'a b:1', /not host:port/],
    ['hostPort', '[127.0.0.1]:1', /not host:port/],
    ['port', '0', /at least 1/],
    ['port', '70000', /not a port/],
    ['port', '-1', /not a port/],
    ['integer', '1', /at least 2/],
    ['integer', '10', /at most 9/],
    ['integer', '3.5', /not a whole number/],
    ['integer', '0x3', /not a whole number/],
    ['duration', '10', /write 500ms, 10s/],
    ['duration', '999ms', /at least 1s/],
    ['duration', '2m', /2m is too large: at most 1m/],
    ['duration', '1.5s', /not a duration/],
    ['size', '2MiB', /at most 1MiB/],
    ['size', '1MB', /write 32768, 32KiB/],
    ['file', join(folder, 'absent'), /there is no .*absent/],
    ['file', folder, /is not a file/],
    ['directory', keyFile, /is not a directory/],
    ['secretFile', emptyFile, /is empty: put the secret/],
    ['choice', 'Shared', /"Shared" is not one of dedicated, shared/],
    ['flag', 'yes', /neither true nor false/],
    ['list', 'a,,b', /empty entry/],
    ['list', 'a,b,c,d', /4 given: at most 3/],
    ['list', 'ab', /is long/],
    ['parsed', 'no', /--it: say yes/],
  ];
  test.each(refused)('%s refuses %j', (kind, given, problem) => expect(one(kind, [`--it=${given}`])).toMatch(problem));

  test('is named as it was given', () => {
    expect(one('integer', [], { SALLYPORT_IT: 'x' })).toBe('SALLYPORT_IT: "x" is not a whole number');
    expect(one('integer', ['--it', 'x'])).toBe('--it: "x" is not a whole number');
  });
  test('with line ends stays on one line', () => expect(one('choice', ['--it=a\nb'])).not.toMatch(/\n/));
});

describe('the command line', () => {
  const declare = (read: Reader) => ({
    listen: read.address('listen', 'Where.', { otherwise: { host: '127.0.0.1', port: 1 } }),
    logLevel: read.choice('log-level', 'Level.', ['info', 'debug'], { otherwise: 'info' }),
    name: read.text('name', 'Name.', { optional: true }),
    services: read.list('service', 'Service.', (text) => ok(text)),
    wide: read.list('wide', 'Wide.', (text) => ok(text), { separator: ' ' }),
    quick: read.flag('quick', 'Quick.'),
  });
  const read = (args: string[], env: Record<string, string> = {}) => readAll({ args, env }, declare);
  const defaults = {
    listen: { host: '127.0.0.1', port: 1 },
    logLevel: 'info',
    name: undefined,
    services: [],
    wide: [],
    quick: false,
  };

  const taken: [title: string, args: string[], env: Record<string, string>, want: object][] = [
    ['nothing given: the defaults', [], {}, defaults],
    ['flags beat the environment', ['--name=flag'], { SALLYPORT_NAME: 'env' }, { ...defaults, name: 'flag' }],
    ['hyphens become underscores', [], { SALLYPORT_LOG_LEVEL: 'debug' }, { ...defaults, logLevel: 'debug' }],
    ['an empty variable counts as unset', [], { SALLYPORT_LOG_LEVEL: '' }, defaults],
    ['a value as the next word', ['--name', 'x'], {}, { ...defaults, name: 'x' }],
    ['a negative-looking value', ['--name', '-x'], {}, { ...defaults, name: '-x' }],
    ['a value that holds =', ['--service=a=b'], {}, { ...defaults, services: ['a=b'] }],
    ['a list again and again', ['--service', 'a', '--service=b,c'], {}, { ...defaults, services: ['a', 'b', 'c'] }],
    ['a list whose entries hold commas', ['--wide=a,b', '--wide=c d'], {}, { ...defaults, wide: ['a,b', 'c', 'd'] }],
    ['a flag takes no word', ['--quick', '--name=x'], {}, { ...defaults, quick: true, name: 'x' }],
  ];
  test.each(taken)('%s', (_title, args, env, want) => expect(outcome(read(args, env))).toEqual(want));

  const refused: [title: string, args: string[], problem: string][] = [
    ['an unknown option, with the nearest', ['--listne=x'], 'there is no option --listne: did you mean --listen?'],
    ['a name cut short', ['--log', 'debug'], 'there is no option --log: did you mean --log-level?'],
    ['an unknown option without a near one', ['--zzzzzz'], 'there is no option --zzzzzz: --help lists those that there are'],
    ['a single hyphen', ['-name', 'x'], 'there is no option -name: did you mean --name?'],
    ['a missing value at the end', ['--name'], '--name needs a value: write --name=VALUE'],
    ['a missing value before another option', ['--name', '--quick'], '--name needs a value: write --name=VALUE'],
    ['a value twice', ['--name=a', '--name=b'], '--name is given more than once: keep one of them'],
    ['a stray word', ['stray'], 'unexpected argument "stray": options begin with --'],
    ['a word after a flag', ['--quick', 'true'], 'unexpected argument "true": options begin with --'],
  ];
  test.each(refused)('refuses %s', (_title, args, problem) => expect(outcome(read(args))).toBe(problem));

  test('asks for help or version before anything is judged', () => {
    expect(read(['--listen=bad', '--help']).kind).toBe('help');
    expect(read(['--version', '--nonsense']).kind).toBe('version');
  });
  test('reports every error together', () => {
    const reading = read(['--listen=bad', '--log-level=bad', '--nonsense']);
    expect(reading.kind === 'invalid' && reading.problems).toHaveLength(3);
  });
  test('says how to give what is missing', () => {
    expect(one('address', [])).toBe('--it is missing: give --it=IP:PORT or set SALLYPORT_IT (Meaning.)');
  });
  test('lists meaning, default and variable in help', () => {
    const reading = read(['--help']);
    const text = reading.kind === 'help' ? reading.text : '';
    expect(text).toMatch(/--listen IP:PORT +Where\. Default 127\.0\.0\.1:1\. \[SALLYPORT_LISTEN\]/);
    expect(text).toMatch(/--log-level info\|debug +Level\. Default info\. \[SALLYPORT_LOG_LEVEL\]/);
    expect(text).toMatch(/--service VALUE +Service\. May be repeated\. \[SALLYPORT_SERVICE\]/);
  });
  test('shows no secret in help', () => {
    const reading = readAll({ args: ['--help'], env: { SALLYPORT_IT: keyFile } }, kinds.secretFile as (read: Reader) => unknown);
    expect(reading.kind === 'help' && reading.text).not.toMatch(/the key/);
  });
});

describe('values together', () => {
  const declare = (read: Reader) => ({
    cert: read.text('cert', 'C.', { optional: true }),
    key: read.text('key', 'K.', { optional: true }),
  });
  const pair = (config: { cert: string | undefined; key: string | undefined }) =>
    (config.cert === undefined) === (config.key === undefined) ? [] : ['--cert and --key go together'];
  test('pass the check', () =>
    expect(outcome(readAll({ args: ['--cert=c', '--key=k'], env: {} }, declare, pair))).toEqual({ cert: 'c', key: 'k' }));
  test('fail the check', () =>
    expect(outcome(readAll({ args: ['--cert=c'], env: {} }, declare, pair))).toBe('--cert and --key go together'));
  test('are not checked while one of them is wrong', () =>
    expect(outcome(readAll({ args: ['--cert='], env: {} }, declare, pair))).toBe('--cert: is empty: give a value'));
});

describe('positional words', () => {
  const declare = (read: Reader) => ({
    hosts: read.positionals('HOST', 'Which host.', { min: 1, max: 2 }),
    quick: read.flag('quick', 'Q.'),
  });
  const read = (...args: string[]) => outcome(readAll({ args, env: {} }, declare));
  test('are taken where declared', () => expect(read('a', '--quick', '--', '--b')).toEqual({ hosts: ['a', '--b'], quick: true }));
  test('too few', () => expect(read()).toBe('HOST (Which host.): 0 given: at least 1'));
  test('too many', () => expect(read('a', 'b', 'c')).toBe('HOST (Which host.): 3 given: at most 2'));
});

test.each([
  ['twice', (read: Reader) => [read.flag('a', ''), read.flag('a', '')], /declared twice/],
  ['under a bad name', (read: Reader) => read.flag('A_b', ''), /not a name/],
] as const)('refuses a declaration %s', (_title, declare, error) => {
  expect(() => readAll<unknown>({ args: [], env: {} }, declare)).toThrow(error);
});
