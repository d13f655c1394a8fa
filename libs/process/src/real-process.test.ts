import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A whole process whose `wire` is the given code. */
function start(wire: string, ...args: string[]) {
  const code = `
    import { readAll, readProcess, run } from '@sallyport/process';
    await run('tester', (source) => readAll(source, (read) => ({ process: readProcess(read, { adminPort: 0 }) })), ${wire});`;
  const child = spawn(
    process.execPath,
    ['--conditions=@sallyport/source', '--input-type=module', '-e', code, '--', 'tester', ...args],
    {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  children.push(child);
  let stderr = '';
  const seen: { text: string; resolve: () => void }[] = [];
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
    for (const { text, resolve } of seen) if (stderr.includes(text)) resolve();
  });
  return {
    child,
    stderr: () => stderr,
    lines: () =>
      stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    says: (text: string) =>
      new Promise<void>((resolve) => void (stderr.includes(text) ? resolve() : seen.push({ text, resolve }))),
    exit: new Promise<number | string>((resolve) => child.on('close', (code, signal) => resolve(code ?? signal ?? 'gone'))),
  };
}
const IDLE = `async () => ({ ready: () => [], drain: async () => {} })`;

test('runs, ends by a signal with 0 and its last lines', async () => {
  const { child, says, exit, lines } = start(IDLE);
  await says('running');
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
  expect(lines().map((line) => line.msg)).toEqual(['starting', 'running', 'asked to end', 'ended']);
});
test('an error nobody caught leaves one line and 1', async () => {
  const { exit, lines } = start(`async () => { setTimeout(() => { throw new Error('boom'); }); return (${IDLE})(); }`);
  expect(await exit).toBe(1);
  expect(lines().filter((line) => line.level === 'fatal')).toMatchObject([{ err: { message: 'boom' } }]);
});
test('a promise nobody caught too', async () => {
  const { exit, lines } = start(`async () => { Promise.reject('text'); return (${IDLE})(); }`);
  expect(await exit).toBe(1);
  expect(lines().filter((line) => line.level === 'fatal')).toMatchObject([{ err: 'text' }]);
});
test('wrong configuration prints plain lines and 64', async () => {
  const { exit, stderr } = start(IDLE, '--drain=soon');
  expect(await exit).toBe(64);
  expect(stderr()).toBe('tester: --drain: "soon" is not a duration: write 500ms, 10s, 5m or 1h\n');
});
