import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';

const directory = mkdtempSync(join(tmpdir(), 'sallyport-driver-config-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const file = join(directory, 'file');
writeFileSync(file, '{}');

const tls = ['--internal-ca-file', '--internal-cert-file', '--internal-key-file'].map((flag) => `${flag}=${file}`);
const read = (...args: string[]) => readConfig({ env: {}, args: [...tls, ...args] });

describe('is taken', () => {
  const rows: [title: string, args: string[], want: object][] = [
    ['a static file, as before', [`--static-file=${file}`], { backend: 'static', staticFile: file }],
    [
      'Kubernetes, as the Pod that it runs in',
      ['--backend=kubernetes'],
      {
        backend: 'kubernetes',
        kubernetes: {
          kubeconfig: undefined,
          namespaces: [],
          audience: 'sallyport-gateway',
          prefer: 'ipv4',
          sidecars: false,
          appEndpoints: 'on',
          checkEveryMs: 600_000,
        },
      },
    ],
    [
      'a kubeconfig and its context',
      ['--backend=kubernetes', `--kubeconfig=${file}`, '--kube-context=a'],
      { kubernetes: { kubeconfig: file, context: 'a' } },
    ],
    [
      'namespaces and accounts',
      ['--backend=kubernetes', '--namespace=a', '--namespace=b', '--supervisor-account=s/sup'],
      { kubernetes: { namespaces: ['a', 'b'], accounts: ['s/sup'] } },
    ],
  ];
  test.each(rows)('%s', (_title, args, want) => expect(read(...args)).toMatchObject({ kind: 'read', config: want }));
});

describe('is refused', () => {
  const rows: [title: string, args: string[], why: RegExp][] = [
    ['nothing to observe', [], /needs --static-file/],
    ['a backend that there is not', ['--backend=docker'], /static, kubernetes/],
    ['a static file for Kubernetes', ['--backend=kubernetes', `--static-file=${file}`], /--static-file is for/],
    ['a context of nothing', ['--backend=kubernetes', '--kube-context=a'], /needs --kubeconfig/],
    ['a kubeconfig that is not there', ['--backend=kubernetes', '--kubeconfig=/nowhere'], /kubeconfig/],
    ['a namespace in capitals', ['--backend=kubernetes', '--namespace=Team'], /no name of a namespace/],
    ['a path for a namespace', ['--backend=kubernetes', '--namespace=a/b'], /no name of a namespace/],
    ['an account without its namespace', ['--backend=kubernetes', '--supervisor-account=sup'], /not namespace\/name/],
    ['an account for all', ['--backend=kubernetes', '--supervisor-account=*/*'], /not namespace\/name/],
    ['self-checks without a pause', ['--backend=kubernetes', '--self-check=1s'], /self-check/],
    ['a family that there is not', ['--backend=kubernetes', '--prefer-family=ipx'], /ipv4/],
  ];
  test.each(rows)('%s', (_title, args, why) => {
    const reading = read(...args);
    expect(reading.kind === 'invalid' ? reading.problems.join('\n') : reading.kind).toMatch(why);
  });
});
