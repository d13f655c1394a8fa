import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { takenByNpm } from './npm-options.ts';

const refused: [args: string[], why: RegExp][] = [
  [['--listen', '300.1.1.1'], /^--listen: "300\.1\.1\.1" is not an address to listen on: write 127\.0\.0\.1/],
  [['--listen', '0.0.0.0:8443'], /^--listen: .* is not an address/],
  [['--listen', 'example.com'], /^--listen: .* is not an address/],
  [['--cert', import.meta.filename], /--cert and --key go together/],
  [['--gateways', '2'], /go with --processes/],
  [['--store', 'etcd://127.0.0.1:2379'], /goes with --processes/],
  [['--store', 'etcd://127.0.0.1'], /^--store: .* is not etcd:/],
  [['--store', 'redis://127.0.0.1:1'], /^--store: .* is neither memory nor etcd:/],
];
test.each(refused)('%j is refused before anything is started', (args, why) => {
  expect(readConfig({ env: {}, args })).toEqual({ kind: 'invalid', problems: [expect.stringMatching(why)] });
});

test('options that npm has taken for itself are not missed in silence', () => {
  const told = (names: string) => ({
    kind: 'invalid',
    problems: [`npm has taken ${names} for itself: put -- before them, as in npm start -- --service web=3000`],
  });
  const env = { npm_config_service: 'web=3000', npm_config_serve_anyway: 'true' };
  expect(readConfig({ env, args: [] })).toEqual(told('--service, --serve-anyway'));
  expect(readConfig({ env: { npm_config_service: 'true' }, args: ['web=3000'] })).toEqual(told('--service'));
  expect(readConfig({ env, args: ['--help'] })).toMatchObject({ kind: 'help' });
  expect(readConfig({ env: { npm_config_cert: 'theirs', npm_config_cache: '/c' }, args: [] })).toMatchObject({ kind: 'read' });
});

test('every option of ours that npm has not is known to be taken by it', () => {
  const help = readConfig({ env: {}, args: ['--help'] });
  const text = help.kind === 'help' ? help.text : '';
  const options = [...text.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name = '']) => name);
  const npmsOwn = ['cert', 'key', 'help', 'version'];
  const missed = options.filter((name) => takenByNpm({ [`npm_config_${name.replaceAll('-', '_')}`]: 'x' }).length === 0);
  expect([options.length > 10, missed]).toEqual([true, npmsOwn]);
});

test.each(['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost'])('--listen %s', (listen) => {
  expect(readConfig({ env: {}, args: ['--listen', listen] })).toMatchObject({ kind: 'read', config: { listen } });
});

test('services in processes of their own have time for two drains: supervisors first, then the rest', () => {
  const drainMs = (args: string[]) => {
    const reading = readConfig({ env: {}, args });
    return reading.kind === 'read' ? reading.config.process.drainMs : undefined;
  };
  expect([drainMs([]), drainMs(['--processes'])]).toEqual([600, 3_000]);
});
