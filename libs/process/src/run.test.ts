import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { readAll, type Source } from './config.ts';
import type { Host, StopSignal } from './host.ts';
import { CannotStart, listen } from './listen.ts';
import { createLog } from './log.ts';
import { createManualClock } from './manual-clock.ts';
import { readProcess } from './process-config.ts';
import { type Process, type Running, run } from './run.ts';
import { VERSION } from './version.ts';

const readConfig = (source: Source) =>
  readAll(source, (read) => ({
    process: readProcess(read, { adminPort: 0 }),
    name: read.text('name', 'A name.', { otherwise: 'x' }),
  }));

/** A process in a box: what it printed and logged, and how it exited. */
function box(args: readonly string[] = []) {
  const clock = createManualClock(5_000);
  const logged: { level: string; msg: string; err?: { message: string } }[] = [];
  const exited = Promise.withResolvers<number>();
  const printed = { stdout: '', stderr: '' };
  let signal: (signal: StopSignal) => void = () => undefined;
  let crash: (error: unknown) => void = () => undefined;
  const host: Host = {
    env: {},
    args: ['--admin-listen=127.0.0.1:0', '--drain=10s', ...args],
    createClock: () => ({ ...clock, peek: clock.now, jumpCount: () => 0, stop: () => undefined }),
    createLog: (options) => createLog({ ...options, destination: { write: (line) => void logged.push(JSON.parse(line)) } }),
    stdout: (text) => {
      printed.stdout += text;
    },
    stderr: (text) => {
      printed.stderr += text;
    },
    onStopSignal: (act) => {
      signal = act;
    },
    onCrash: (act) => {
      crash = act;
    },
    exit: exited.resolve,
  };
  return {
    host,
    clock,
    logged,
    printed,
    exitCode: exited.promise,
    signal: (which: StopSignal = 'SIGTERM') => signal(which),
    crash: (error: unknown) => crash(error),
    /** Starts and waits until it runs; returns what `wire` was given. */
    async start(running: Partial<Running> = {}): Promise<Process> {
      const wired = Promise.withResolvers<Process>();
      void run(
        'tester',
        readConfig,
        async (_config, process) => {
          wired.resolve(process);
          return { ready: () => [], drain: async () => undefined, ...running };
        },
        host,
      );
      const process = await wired.promise;
      await clock.advanceAsync(0);
      return process;
    },
  };
}
const never = new Promise<never>(() => undefined);
const nothing = async (): Promise<Running> => ({ ready: () => [], drain: async () => undefined });

describe('before anything runs', () => {
  test('wrong configuration: every problem on its line of stderr, 64, nothing wired', async () => {
    const { host, printed, exitCode } = box(['--log-level=loud', '--nmae=x']);
    let wired = false;
    const wire = (): Promise<Running> => {
      wired = true;
      return nothing();
    };
    await run('tester', readConfig, wire, host);
    expect(await exitCode).toBe(64);
    expect(printed.stderr.split('\n')).toEqual([
      'tester: there is no option --nmae: did you mean --name?',
      'tester: --log-level: "loud" is not one of trace, debug, info, warn, error, fatal, silent',
      '',
    ]);
    expect(wired).toBe(false);
  });
  test.each([
    ['--help', /^Usage: tester \[options\]\n[\s\S]*--drain DURATION +How long.* Default 10s\. \[SALLYPORT_DRAIN\]/],
    ['--version', new RegExp(`^tester ${VERSION}\n$`)],
  ])('%s prints to stdout and exits with 0', async (flag, text) => {
    const { host, printed, exitCode } = box([flag]);
    await run('tester', readConfig, nothing, host);
    expect(await exitCode).toBe(0);
    expect(printed.stdout).toMatch(text);
    expect(printed.stderr).toBe('');
  });
  test('a process that is started by another name says how', async () => {
    const { host, printed, exitCode } = box(['--help']);
    await run({ name: 'tester', usage: 'npm start --' }, readConfig, nothing, host);
    expect(await exitCode).toBe(0);
    expect(printed.stdout).toMatch(/^Usage: npm start -- \[options\]\n/);
  });
  test('the version is the release', () => {
    const root = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string };
    expect(VERSION).toBe(root.version);
  });
});

describe('a start that fails', () => {
  test('for a reason outside: one line, 1', async () => {
    const { host, printed, exitCode } = box();
    await run(
      'tester',
      readConfig,
      async () => {
        throw new CannotStart('cannot reach the store; start it first');
      },
      host,
    );
    expect(await exitCode).toBe(1);
    expect(printed.stderr).toBe('tester: cannot reach the store; start it first\n');
  });
  test('for a taken admin port: one line that names its option', async () => {
    const server = createServer();
    const taken = await listen(server, { host: '127.0.0.1', port: 0 }, 'x');
    const { host, printed, exitCode } = box();
    await run('tester', readConfig, nothing, { ...host, args: [`--admin-listen=127.0.0.1:${taken.port}`] });
    server.close();
    expect(await exitCode).toBe(1);
    expect(printed.stderr).toMatch(/^tester: cannot listen on 127\.0\.0\.1:\d+: the port is in use; .*--admin-listen.*\n$/);
  });
  test('for a bare listen error of a library: the same line', async () => {
    const { host, printed, exitCode } = box();
    const bare = Object.assign(new Error('listen EADDRINUSE'), {
      code: 'EADDRINUSE',
      syscall: 'listen',
      address: '::',
      port: 8443,
    });
    await run('tester', readConfig, () => Promise.reject(bare), host);
    expect(await exitCode).toBe(1);
    expect(printed.stderr).toMatch(/^tester: cannot listen on \[::\]:8443: the port is in use/);
  });
  test('for a bug: one fatal log line with the stack, 1', async () => {
    const { host, logged, printed, exitCode } = box();
    await run('tester', readConfig, () => Promise.reject(new Error('a bug')), host);
    expect(await exitCode).toBe(1);
    expect(printed.stderr).toBe('');
    expect(logged.at(-1)).toMatchObject({ level: 'fatal', msg: 'cannot start', err: { message: 'a bug' } });
  });
  test('because it was asked to end meanwhile: 0', async () => {
    const one = box();
    const wiring = Promise.withResolvers<void>();
    const wire = (): Promise<Running> => {
      wiring.resolve();
      return never;
    };
    void run('tester', readConfig, wire, one.host);
    await wiring.promise;
    one.signal();
    await one.clock.advanceAsync(2_000);
    expect(await one.exitCode).toBe(0);
  });
  test('because it was asked to end meanwhile, after it undid what it began: 0', async () => {
    const one = box();
    const wiring = Promise.withResolvers<void>();
    let undone = false;
    const wire = (_config: unknown, { stopping }: Process): Promise<Running> => {
      wiring.resolve();
      return new Promise((_resolve, reject) => {
        stopping.addEventListener('abort', () => {
          undone = true;
          reject(new Error('stopped'));
        });
      });
    };
    void run('tester', readConfig, wire, one.host);
    await wiring.promise;
    one.signal();
    expect(await one.exitCode).toBe(0);
    expect(undone).toBe(true);
    expect(one.printed.stderr).toBe('');
  });
  test('is drained when it comes about all the same', async () => {
    const one = box();
    const wiring = Promise.withResolvers<void>();
    let drained = false;
    const drain = async (): Promise<void> => {
      drained = true;
    };
    const wire = (_config: unknown, { stopping }: Process): Promise<Running> => {
      wiring.resolve();
      return new Promise((resolve) => stopping.addEventListener('abort', () => resolve({ ready: () => [], drain })));
    };
    void run('tester', readConfig, wire, one.host);
    await wiring.promise;
    one.signal();
    expect(await one.exitCode).toBe(0);
    expect(drained).toBe(true);
  });
});

describe('readiness', () => {
  test('is the wired parts, and gone while draining', async () => {
    const one = box();
    const { admin } = await one.start({ ready: () => [{ name: 'link', ok: true }], drain: () => never });
    const ready = async () => (await fetch(`http://127.0.0.1:${admin.port}/readyz`)).status;
    expect(await ready()).toBe(200);
    one.signal();
    expect(await ready()).toBe(503);
  });
});

describe('the end', () => {
  test('asked: stopping aborts, the drain runs, 0', async () => {
    const one = box();
    const { stopping } = await one.start({ drain: async () => expect(stopping.aborted).toBe(true) });
    expect(stopping.aborted).toBe(false);
    one.signal('SIGINT');
    expect(await one.exitCode).toBe(0);
  });
  test('one Ctrl-C that arrives three times is one', async () => {
    const one = box();
    const drained = Promise.withResolvers<void>();
    await one.start({ drain: () => drained.promise });
    one.signal('SIGINT');
    one.clock.advance(999);
    one.signal('SIGINT');
    one.signal('SIGTERM');
    drained.resolve();
    expect(await one.exitCode).toBe(0);
  });
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('a second %s a second later ends at once with %i', async (signal, code) => {
    const one = box();
    await one.start({ drain: () => never });
    one.signal('SIGTERM');
    one.clock.advance(1_000);
    one.signal(signal);
    expect(await one.exitCode).toBe(code);
  });
  test('the deadline is told to the drain, which then ends by force', async () => {
    const one = box();
    await one.start({ drain: (deadline) => new Promise((resolve) => deadline.addEventListener('abort', () => resolve())) });
    one.signal();
    await one.clock.advanceAsync(9_999);
    expect(one.logged.at(-1)?.msg).toBe('asked to end');
    await one.clock.advanceAsync(1);
    expect(await one.exitCode).toBe(0);
  });
  test('a drain that hangs even then is left behind: 1', async () => {
    const one = box();
    await one.start({ drain: () => never });
    one.signal();
    await one.clock.advanceAsync(12_000);
    expect(await one.exitCode).toBe(1);
  });
  test('a drain that fails: 1, with the reason', async () => {
    const one = box();
    await one.start({ drain: () => Promise.reject(new Error('stuck')) });
    one.signal();
    expect(await one.exitCode).toBe(1);
    expect(one.logged.at(-1)).toMatchObject({ level: 'error', err: { message: 'stuck' } });
  });
  test.each([
    ['fails', () => Promise.reject(new Error('lost'))],
    ['just ends', () => Promise.resolve()],
  ])('a part that %s without being asked ends the process with 1', async (_title, stopped) => {
    const one = box();
    await one.start({ stopped: stopped() });
    expect(await one.exitCode).toBe(1);
    expect(one.logged.at(-1)).toMatchObject({ level: 'fatal', msg: 'a part ended that must not end' });
  });
  test('an error nobody caught: one fatal line, 1', async () => {
    const one = box();
    await one.start();
    const before = one.logged.length;
    one.crash(new Error('boom'));
    expect(await one.exitCode).toBe(1);
    expect(one.logged.slice(before)).toMatchObject([{ level: 'fatal', err: { message: 'boom' } }]);
  });
});
