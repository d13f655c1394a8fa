import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { APPS } from './objects.ts';

const ROOT = join(import.meta.dirname, '../..');
const dockerfile = readFileSync(join(ROOT, 'deploy/images/Dockerfile'), 'utf8');
const lines = dockerfile.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

test('any builder can read it: no syntax line, no heredoc, no option of one builder alone', () => {
  expect(dockerfile).not.toMatch(/^# *syntax *=/m);
  expect(lines.filter((line) => /<<|--mount|--link|--parents|--exclude|--security|--network/.test(line))).toEqual([]);
});

test('the image runs nothing while it is built, so that its base needs no shell, and runs as nobody', () => {
  expect(last[0]).toMatch(/^FROM \$\{BASE\}$/);
  expect(last.filter((line) => line.startsWith('RUN '))).toEqual([]);
  expect(last).toContain('USER 65532:65532');
  expect(last.at(-1)).toBe('ENTRYPOINT ["node", "/app/main.mjs"]');
});

test('it holds the one file of its app, licences, and what OpenSSL is set to', () => {
  const copies = last.filter((line) => line.startsWith('COPY ')).map((line) => line.replace(/\$\{(\w+)\}/, '<$1>'));
  expect(copies).toEqual([
    'COPY --from=bundles /src/dist/<APP>.mjs /app/main.mjs',
    'COPY --from=bundles /src/dist/<APP>.cnf /app/openssl.cnf',
    'COPY --from=bundles /src/LICENSE /src/NOTICE /app/',
  ]);
});

test('packages are installed from manifests alone, and the bundles are made once for all images', () => {
  const from = lines.findIndex((line) => line.endsWith(' AS bundles'));
  const stage = lines.slice(from, lines.indexOf(last[0] ?? ''));
  const steps = stage.filter((line) => /^(COPY|RUN) /.test(line)).map((line) => line.split(' ').slice(0, 3).join(' '));
  expect(steps).toEqual([
    'COPY --from=manifests /manifests',
    'RUN npm ci',
    'COPY . .',
    'RUN node tools/bundle.mjs',
    'RUN for app',
  ]);
  expect(stage.filter((line) => line.startsWith('ARG '))).toEqual([]);
  const bundled = stage.at(-2)?.split(' ').slice(3) ?? [];
  expect(bundled.sort()).toEqual([...APPS, 'cli'].sort());
});

test('a supervisor sends no tickets; a boundary does, since supervisors resume their sessions with it', () => {
  const made = lines.find((line) => line.startsWith('RUN for app in ')) ?? '';
  const [, unset = '', set] =
    /^RUN for app in (.*?); do : >dist\/\$app\.cnf; done && cp deploy\/images\/openssl\.cnf dist\/(\w+)\.cnf$/.exec(made) ?? [];
  expect([set, ...unset.split(' ')].sort()).toEqual([...APPS, 'cli'].sort());
  expect(set).toBe('supervisor');
});

test('nothing that is made or secret goes to the builder', () => {
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  for (const path of ['.git', 'node_modules', '**/dist', '.sallyport']) expect(ignored).toContain(path);
});

test('every app of the chart has an image, and so has the command line', () => {
  const script = readFileSync(join(ROOT, 'deploy/images/build.sh'), 'utf8');
  const [, named = ''] = /apps=\(([a-z ]+)\)/.exec(script) ?? [];
  expect(named.split(' ').sort()).toEqual([...APPS, 'cli'].sort());
});
