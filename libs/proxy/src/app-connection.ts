import type { Socket } from 'node:net';
import { type Limits as CodecLimits, createResponseReader, type ResponseReader } from '@sallyport/http1';
import { type Instant, LONG_AGO } from '@sallyport/model';
import type { RouteKey } from '@sallyport/routes';
import type { Outbox } from './outbox.ts';

/** Who has the connection at the moment and hears what happens to it. */
export interface AppUser {
  appData(chunk: Buffer): void;
  /** The application sends no more; what it sent came before. */
  appEnded(): void;
  appDrained(): void;
  /** Gone without an end: a reset, or destroyed under us. Comes at most once, and not after `release`. */
  appLost(reason: string): void;
}

/** One connection to the application, with the reader of its answers. Belongs to one route for its whole life. */
export interface AppConnection {
  readonly key: RouteKey;
  readonly socket: Socket;
  answers: ResponseReader<Buffer>;
  /** From its first request on. */
  outbox: Outbox | undefined;
  /** It has carried a request before; so it may have died without our knowing. */
  reused: boolean;
  /** The application has ended its side. */
  ended: boolean;
  /** Nobody: idle in the pool, where anything that comes is a fault. */
  user: AppUser | undefined;
  idleUntil: Instant;
}

/**
 * Listens to the socket once and for all; whoever uses the connection only puts itself into `user`.
 * @param onIdleFault something came, or it ended, while nobody had it: it is useless
 */
export function createAppConnection(
  key: RouteKey,
  socket: Socket,
  limits: CodecLimits,
  onIdleFault: (connection: AppConnection) => void,
): AppConnection {
  const connection: AppConnection = {
    key,
    socket,
    answers: createResponseReader<Buffer>(limits),
    outbox: undefined,
    reused: false,
    ended: false,
    user: undefined,
    idleUntil: LONG_AGO,
  };
  const lost = (reason: string): void => {
    const { user } = connection;
    connection.user = undefined;
    if (user === undefined) onIdleFault(connection);
    else user.appLost(reason);
  };
  socket.on('data', (chunk: Buffer) => {
    if (connection.user === undefined) onIdleFault(connection);
    else connection.user.appData(chunk);
  });
  socket.on('end', () => {
    connection.ended = true;
    if (connection.user === undefined) onIdleFault(connection);
    else connection.user.appEnded();
  });
  socket.on('drain', () => connection.user?.appDrained());
  socket.on('error', (error) => {
    lost(error.message);
    // Where the way leads over TLS, its errors are not followed by a close.
    socket.destroy();
  });
  socket.on('close', () => lost('closed'));
  return connection;
}

/** Stands where the reader of a connection was that has become a tunnel. */
const SPENT = createResponseReader<Buffer>();
SPENT.takeRest();

/** For tunnels: what is unread, in order. Nothing is kept of the reader after this, since a tunnel may live for days. */
export function takeAnswersRest(connection: AppConnection): Buffer[] {
  const rest = connection.answers.takeRest();
  connection.answers = SPENT;
  return rest;
}
