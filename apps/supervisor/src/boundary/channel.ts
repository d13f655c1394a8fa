import type { Socket } from 'node:net';
import { type ConnectionOptions, connect } from 'node:tls';
import { err, later, ok, type Result } from '@sallyport/model';
import type { Clock } from '@sallyport/process';
import type { DialFailure } from '@sallyport/proxy';
import { readConnectAnswer } from './connect-answer.ts';

export interface ChannelOptions {
  /** Where the boundary is, and how it is known. */
  readonly tls: ConnectionOptions;
  readonly port: number;
  readonly token: string;
  readonly clock: Clock;
  readonly withinMs: number;
  readonly signal: AbortSignal;
  /** A way to be known again, for the next one. */
  readonly onSession: (session: Buffer) => void;
}

/** `refused` names the boundary's own refusal of the right: another token may mend it. */
export type ChannelFailure = DialFailure | { readonly kind: 'no-right'; readonly why: string };

/** One TLS connection to the boundary, made into one to the application. */
export async function openChannel(options: ChannelOptions): Promise<Result<Socket, ChannelFailure>> {
  const { tls, port, token, clock, withinMs, signal, onSession } = options;
  if (signal.aborted) return err({ kind: 'aborted' });
  const socket = connect({ ...tls, allowHalfOpen: true } as ConnectionOptions);
  socket.setNoDelay(true);
  socket.on('session', onSession);
  // It may fail again after it has failed, and before whoever gets it looks: within the very turn in which the other end is gone.
  socket.on('error', () => undefined);
  let failure: DialFailure | undefined;
  const end = (why: DialFailure): void => {
    failure ??= why;
    socket.destroy();
  };
  const cancel = clock.at(later(clock.now(), withinMs), () => end({ kind: 'timeout' }));
  const onAbort = (): void => end({ kind: 'aborted' });
  signal.addEventListener('abort', onAbort);
  const answer = readConnectAnswer(socket);
  socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nSallyport-Token: ${token}\r\n\r\n`);
  try {
    const said = await answer;
    if (failure === undefined && said.kind === 'connected') return ok(socket);
    socket.destroy();
    return err(failure ?? failureOf(said.kind === 'refused' ? said.why : ''));
  } catch (error) {
    socket.destroy();
    return err(failure ?? { kind: 'failed', message: `the sandbox's boundary cannot be used: ${(error as Error).message}` });
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Refusals that a newer token mends: another life of the boundary, a port that was just declared, a tenure that just began. */
const NO_RIGHT: ReadonlySet<string> = new Set([
  'epoch_fenced',
  'no_right',
  'nonce_unknown',
  'nonce_expired',
  'port_not_declared',
  'other_sandbox',
  'other_generation',
]);

function failureOf(why: string): ChannelFailure {
  if (why === 'app_refused') return { kind: 'refused' };
  if (why === 'app_timeout') return { kind: 'timeout' };
  if (why === 'address_refused') return { kind: 'forbidden' };
  if (NO_RIGHT.has(why)) return { kind: 'no-right', why };
  return { kind: 'failed', message: `the sandbox's boundary refuses: ${why}` };
}
