import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authority, Issued } from '@sallyport/pki';
import { createClock } from '@sallyport/process';
import { type Certificates, watchCertificates } from '@sallyport/proxy';
import { beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { get } from '../http-cases/makers.ts';
import { startApp } from '../stage/app.ts';
import { DOMAIN, issueFor, newAuthority } from '../stage/certificate.ts';
import { connectTls } from '../stage/client.ts';
import { statusOf } from '../stage/message.ts';
import { HOST } from '../stage/stage.ts';
import { startSupervisor } from '../stage/supervisor.ts';
import { pause, until } from '../stage/until.ts';

const TAKES_EFFECT_MS = 2_000;
/** Several times what the listener lets changed files settle. */
const NOTHING_HAPPENS_MS = 500;

let authority: Authority;
let pairs: Issued[];
beforeAll(async () => {
  authority = await newAuthority();
  pairs = await Promise.all(Array.from({ length: 12 }, () => issueFor(authority, DOMAIN)));
});

interface Listening {
  readonly directory: string;
  readonly problems: string[];
  /** The certificate that a new connection is shown. */
  shown(): Promise<string>;
  /** Waits until new connections are shown this one. */
  shows(pair: Issued): Promise<void>;
  serves(): Promise<boolean>;
}

const plain = (directory: string, { certPem, keyPem }: Issued): void => {
  writeFileSync(join(directory, 'tls.crt'), certPem);
  writeFileSync(join(directory, 'tls.key'), keyPem);
};

/** As Kubernetes does it: the files are links through `..data`, and a new `..data` is put in its place in one step. */
function swap(directory: string, name: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(directory, name));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, name, file), text);
  symlinkSync(name, join(directory, '..data_tmp'));
  renameSync(join(directory, '..data_tmp'), join(directory, '..data'));
}
const files = ({ certPem, keyPem }: Issued) => ({ 'tls.crt': certPem, 'tls.key': keyPem });

async function listen({ onTestFinished }: TestContext, prepare: (directory: string) => void): Promise<Listening> {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-e2e-'));
  prepare(directory);
  const clock = createClock();
  const problems: string[] = [];
  const watched = await watchCertificates({
    pairs: [{ certFile: join(directory, 'tls.crt'), keyFile: join(directory, 'tls.key') }],
    clock,
    onProblem: (problem) => problems.push(problem),
    onSwapped: () => {},
  });
  if (!watched.ok) throw new Error(watched.error);
  const certificates: Certificates = watched.value;
  const [supervisor, app] = await Promise.all([startSupervisor({ certificates, clock }), startApp('web')]);
  supervisor.sandbox('case', { web: app.port });
  onTestFinished(async () => {
    certificates.stop();
    await Promise.all([supervisor.stop(), app.close()]);
    clock.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const open = () => connectTls(supervisor.listener.port, { servername: HOST, ca: authority.certPem });
  const shown = async (): Promise<string> => {
    const client = await open();
    const { raw } = client.socket.getPeerCertificate();
    client.close();
    return raw.toString('base64');
  };
  return {
    directory,
    problems,
    shown,
    async shows(pair) {
      let last = '';
      const wanted = bodyOf(pair);
      let looking = true;
      const look = (async () => {
        for (; looking && last !== wanted; await pause(20)) last = await shown();
      })();
      await until('the new certificate is shown', () => last === wanted, TAKES_EFFECT_MS);
      looking = false;
      await look;
    },
    async serves() {
      const client = await open();
      const answer = await client.ask(get('/x'));
      client.close();
      return statusOf(answer) === 200;
    },
  };
}

const bodyOf = ({ certPem }: Issued): string => certPem.replace(/-----[A-Z ]+-----|\s/g, '');
const pair = (n: number): Issued => pairs[n] as Issued;

describe.concurrent('certificates are swapped under a running listener', () => {
  test('an old pair is served until the new one is whole, whichever file comes first', async (context) => {
    const listening = await listen(context, (directory) => plain(directory, pair(0)));
    for (const [n, first, second] of [
      [1, 'tls.crt', 'tls.key'],
      [2, 'tls.key', 'tls.crt'],
    ] as const) {
      const before = await listening.shown();
      const next: Record<string, string> = files(pair(n));
      writeFileSync(join(listening.directory, first), next[first] as string);
      await pause(NOTHING_HAPPENS_MS);
      expect(await listening.shown()).toBe(before);
      expect(await listening.serves()).toBe(true);
      writeFileSync(join(listening.directory, second), next[second] as string);
      await listening.shows(pair(n));
    }
  });

  test('ten swaps of ..data in a row each take effect within two seconds', async (context) => {
    const listening = await listen(context, (directory) => {
      swap(directory, '..0', files(pair(0)));
      for (const file of ['tls.crt', 'tls.key']) symlinkSync(join('..data', file), join(directory, file));
    });
    expect(await listening.shown()).toBe(bodyOf(pair(0)));
    for (let n = 1; n <= 10; n++) {
      swap(listening.directory, `..${n}`, files(pair(n)));
      await listening.shows(pair(n));
    }
    expect(await listening.serves()).toBe(true);
    expect(listening.problems).toEqual([]);
  });

  const broken: [title: string, files: (old: Issued, next: Issued) => Record<string, string>, problem: RegExp][] = [
    ['a key of another certificate', (old, next) => ({ 'tls.crt': next.certPem, 'tls.key': old.keyPem }), /key does not belong/],
    ['half a certificate', (_old, next) => ({ 'tls.crt': next.certPem.slice(0, 300), 'tls.key': next.keyPem }), /tls\.crt/],
    ['an empty key', (_old, next) => ({ 'tls.crt': next.certPem, 'tls.key': '' }), /tls\.crt/],
    ['no files at all', () => ({}), /ENOENT/],
  ];
  test.each(broken)(
    'a broken pair is refused and reported: %s',
    async (title, made, problem) => {
      const cleanups: (() => unknown)[] = [];
      const context = { onTestFinished: (cleanup: () => unknown) => cleanups.push(cleanup) } as unknown as TestContext;
      try {
        const listening = await listen(context, (directory) => {
          swap(directory, '..0', files(pair(0)));
          for (const file of ['tls.crt', 'tls.key']) symlinkSync(join('..data', file), join(directory, file));
        });
        swap(listening.directory, '..1', made(pair(0), pair(1)));
        await until(`it is reported: ${title}`, () => listening.problems.length > 0, TAKES_EFFECT_MS);
        expect(listening.problems[0]).toMatch(problem);
        expect(await listening.shown()).toBe(bodyOf(pair(0)));
        expect(await listening.serves()).toBe(true);
        // And the next good one is taken.
        swap(listening.directory, '..2', files(pair(2)));
        await listening.shows(pair(2));
        expect(listening.problems.length).toBe(1);
      } finally {
        for (const cleanup of cleanups) await cleanup();
      }
    },
    60_000,
  );
});
