import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host } from '@sallyport/model';
import { createClock, type RunningClock } from '@sallyport/process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Certificates, watchCertificates } from './certificate-watch.ts';
import { chooseCertificate, readCertificate } from './certificates.ts';
import { makePair } from './testing/certificate.ts';
import { until } from './testing/until.ts';

const [one, two] = [makePair(['one.test', '*.apps.test']), makePair(['two.test'])];

describe('a pair is refused', () => {
  const rows: [title: string, cert: string, key: string][] = [
    ['with the key of another', one.cert, two.key],
    ['without a certificate', '', one.key],
    ['without a key', one.cert, ''],
    ['cut short', one.cert.slice(0, 200), one.key],
    ['the other way round', one.key, one.cert],
  ];
  test.each(rows)('%s', (_title, cert, key) =>
    expect(readCertificate({ cert: Buffer.from(cert), key: Buffer.from(key) }).ok).toBe(false),
  );
});

describe('a name finds', () => {
  const [exact, wild, other] = [
    { names: ['a.apps.test'] },
    { names: ['*.apps.test'] },
    { names: ['other.test', '*.deep.apps.test'] },
  ];
  const rows: [host: string, want: object | undefined][] = [
    ['a.apps.test', exact],
    ['b.apps.test', wild],
    ['x.deep.apps.test', other],
    ['other.test', other],
    ['apps.test', undefined],
    ['x.y.apps.test', undefined],
    ['nobody.test', undefined],
    ['localhost', undefined],
  ];
  test.each(rows)('%s', (host, want) => expect(chooseCertificate([wild, exact, other], host as Host)).toBe(want));
});

describe('watched files', () => {
  let directory: string;
  let clock: RunningClock;
  let certificates: Certificates;
  let problems: string[];
  let swaps: (readonly string[])[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'sallyport-watch-'));
    clock = createClock();
    problems = [];
    swaps = [];
  });
  afterEach(() => {
    certificates?.stop();
    clock.stop();
    rmSync(directory, { recursive: true });
  });

  const [certFile, keyFile] = ['tls.crt', 'tls.key'];
  const write = (name: string, text: string): void => writeFileSync(join(directory, name), text);

  async function watch(): Promise<void> {
    const watched = await watchCertificates({
      pairs: [{ certFile: join(directory, certFile), keyFile: join(directory, keyFile) }],
      clock,
      onProblem: (problem) => problems.push(problem),
      onSwapped: (names) => swaps.push(names),
    });
    if (!watched.ok) throw new Error(watched.error);
    certificates = watched.value;
  }
  const serves = (host: string): boolean => certificates.for(host as Host) !== undefined;

  test('that are not there at the start are an error with the name of the file', async () => {
    await expect(watch()).rejects.toThrow(/tls\.crt.*ENOENT/);
  });

  test('replaced key first: the old pair stays until the certificate fits', async () => {
    write(certFile, one.cert);
    write(keyFile, one.key);
    await watch();
    expect([serves('one.test'), serves('x.apps.test'), serves('two.test')]).toEqual([true, true, false]);
    write(keyFile, two.key);
    await until('mismatch reported', () => problems.length === 1);
    expect(problems[0]).toContain('does not belong');
    expect(serves('one.test')).toBe(true);
    write(certFile, two.cert);
    await until('swapped', () => swaps.length === 1);
    expect([serves('one.test'), serves('two.test')]).toEqual([false, true]);
  });

  test('replaced as Kubernetes does it, by a link beside them', async () => {
    const version = (name: string, pair: typeof one): void => {
      mkdirSync(join(directory, name));
      write(join(name, certFile), pair.cert);
      write(join(name, keyFile), pair.key);
    };
    version('..v1', one);
    symlinkSync('..v1', join(directory, '..data'));
    for (const file of [certFile, keyFile]) symlinkSync(join('..data', file), join(directory, file));
    await watch();
    expect(serves('one.test')).toBe(true);
    version('..v2', two);
    symlinkSync('..v2', join(directory, '..data_tmp'));
    renameSync(join(directory, '..data_tmp'), join(directory, '..data'));
    await until('swapped', () => swaps.length === 1);
    expect([serves('one.test'), serves('two.test')]).toEqual([false, true]);
    expect(problems).toEqual([]);
  });

  test('broken: one report, the old pair stays, and the same files again swap nothing', async () => {
    write(certFile, one.cert);
    write(keyFile, one.key);
    await watch();
    write(certFile, 'garbage');
    await until('reported', () => problems.length === 1);
    expect(serves('one.test')).toBe(true);
    write(certFile, 'garbage');
    write(certFile, one.cert);
    write(keyFile, one.key);
    // A swap that is asked for afterwards comes alone.
    write('unrelated', '');
    await new Promise<void>((resolve) => clock.at((clock.now() + 400) as never, resolve));
    expect([problems.length, swaps.length]).toEqual([1, 0]);
  });
});
