import { describe, expect, test } from 'vitest';
import { commands } from './commands.ts';
import { formatHelp } from './help.ts';
import { parseCommandLine } from './parse.ts';

const parse = (line: string, env: Record<string, string> = {}) =>
  parseCommandLine(commands, line.split(' ').filter(Boolean), env);

describe('a command line', () => {
  const rows: [line: string, words: string, args: string[], values: object][] = [
    ['status', 'status', [], {}],
    ['service list', 'service list', [], {}],
    ['service list team/demo -o json', 'service list', ['team/demo'], { output: 'json' }],
    ['-o json service list', 'service list', [], { output: 'json' }],
    ['--gateway h:1 -o json service list team', 'service list', ['team'], { gateway: 'h:1', output: 'json' }],
    ['--gateway=h:1 service list', 'service list', [], { gateway: 'h:1' }],
    [
      'service expose team/demo/web --port 3000 --no-wait',
      'service expose',
      ['team/demo/web'],
      { port: '3000', 'no-wait': true },
    ],
    ['service expose --port=3000 team/demo/web', 'service expose', ['team/demo/web'], { port: '3000' }],
    ['discovery snapshot a b c', 'discovery snapshot', ['a', 'b', 'c'], {}],
  ];
  test.each(rows)('%s', (line, words, args, values) => {
    const parsed = parse(line);
    expect(parsed).toMatchObject({ ok: true, value: { kind: 'run', args, values } });
    expect(parsed.ok && parsed.value.kind === 'run' && parsed.value.command.words.join(' ')).toBe(words);
  });
});

describe('asks for help', () => {
  const rows: [line: string, words: string[]][] = [
    ['', []],
    ['--help', []],
    ['-h', []],
    ['help', []],
    ['service', ['service']],
    ['service --help', ['service']],
    ['help service', ['service']],
    ['service expose --help', ['service', 'expose']],
    ['service expose too many words -h', ['service', 'expose']],
    ['help service expose', ['service', 'expose']],
  ];
  test.each(rows)('%j', (line, words) => {
    const parsed = parse(line);
    expect(parsed).toMatchObject({ ok: true, value: { kind: 'help', words } });
    expect(formatHelp(commands, words)).toMatch(/^Usage: sallyport /);
  });
  test('of every command, with an example of it', () => {
    for (const { words, examples } of commands) {
      expect(formatHelp(commands, words)).toContain(`Usage: sallyport ${words.join(' ')}`);
      for (const example of examples) {
        expect(parse(example.replace(/^sallyport /, '')), example).toMatchObject({
          ok: true,
          value: { kind: 'run', command: { words } },
        });
      }
    }
  });
});

describe('is refused with what to type instead', () => {
  const rows: [line: string, why: RegExp][] = [
    ['nope', /no "sallyport nope"; known are: service, sandbox, status, check, explain, discovery, grant, store, pki, version$/],
    ['service nope', /no "sallyport service nope"; known are: expose, list, get, delete$/],
    ['help nope', /known are/],
    ['nope --help', /known are/],
    ['--bogus', /"--bogus" comes before any command/],
    ['service list --bogus', /'--bogus'; see: sallyport service list --help/],
    ['service list -x', /'-x'; see/],
    ['service list --gateway', /--gateway <value>' argument missing; see/],
    ['service list --help=yes', /--help' does not take an argument; see/],
    ['service list a b', /"b" is too much: the form is sallyport service list \[WORKSPACE/],
    ['service get', /something is missing: the form is sallyport service get/],
    ['status now', /"now" is too much/],
    ['service list -o yaml', /^--output: "yaml" is not one of table, json$/],
    ['service list --gateway=', /^--gateway is empty/],
    ['service expose a/b=1 --cookies some', /--cookies: "some" is not one of isolate, pass/],
  ];
  test.each(rows)('%s', (line, why) =>
    expect(parse(line)).toMatchObject({ ok: false, error: { exitCode: 64, text: expect.stringMatching(why) } }),
  );
});

describe('the environment', () => {
  const values = (line: string, env: Record<string, string>) => {
    const parsed = parse(line, env);
    return parsed.ok && parsed.value.kind === 'run' ? parsed.value.values : parsed;
  };
  test('fills in what holds for all commands', () => {
    expect(values('status', { SALLYPORT_GATEWAY: 'h:1', SALLYPORT_OUTPUT: 'json' })).toMatchObject({
      gateway: 'h:1',
      output: 'json',
    });
  });
  test('is beaten by the flag', () =>
    expect(values('status --gateway a:1', { SALLYPORT_GATEWAY: 'h:1' })).toMatchObject({ gateway: 'a:1' }));
  test('counts as unset when it is empty', () =>
    expect(values('status', { SALLYPORT_GATEWAY: '' })).toMatchObject({ gateway: undefined }));
  test('does not set what one command is told', () => {
    expect(values('service expose a/b', { SALLYPORT_PORT: '8443' })).not.toHaveProperty('port', '8443');
  });
  test('is checked as the flag is, under its own name', () => {
    expect(values('status', { SALLYPORT_OUTPUT: 'xml' })).toMatchObject({
      error: { text: expect.stringMatching(/^SALLYPORT_OUTPUT: "xml"/) },
    });
  });
});
