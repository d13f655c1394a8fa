import { constants } from 'node:os';

/** Every word of our own goes to stderr: stdout belongs to the command. */
export function say(line) {
  process.stderr.write(`sallyport: ${line}\n`);
}

/** Ends this process the way its child ended, so that a shell or npm sees a signal as a signal. */
export function endLike({ code, signal }) {
  if (signal === undefined || signal === null) {
    process.exitCode = code ?? 1;
    return;
  }
  process.exitCode = 128 + (constants.signals[signal] ?? 0);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
