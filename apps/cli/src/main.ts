import { execute } from './execute.ts';

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());
// Whoever reads our output may stop early, as `head` does: that is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await execute({
  argv: process.argv.slice(2),
  env: process.env,
  // npm runs scripts at the root of the workspace, and says from where it was called.
  cwd: process.env.INIT_CWD ?? process.cwd(),
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  signal: interrupted.signal,
});
