import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isPort, type MemberId, type OwnerEpoch } from '@sallyport/model';
import type { Connector } from '@sallyport/proxy';
import type { Channels } from './channels.ts';
import type { Guard } from './guard.ts';
import { type OnRefused, type Refusal, refusalOfDial } from './refusals.ts';
import { refuse } from './refuse.ts';

export interface ConnectOptions {
  readonly guard: Guard;
  readonly channels: Channels;
  readonly connector: Connector;
  /** Breaks the TCP connection under a supervisor's socket. */
  readonly reset: (socket: Socket) => void;
  readonly onRefused: OnRefused;
  readonly onOpened: (opened: OpenedChannel) => void;
}

/** Whose way to the application it is, and by which port of ours the application knows it. */
export interface OpenedChannel {
  readonly ownerEpoch: OwnerEpoch;
  readonly memberId: MemberId;
  readonly port: number;
  readonly localPort: number | undefined;
}

/** The only address: an application that listens elsewhere is none of this sandbox's. */
const TARGET = /^127\.0\.0\.1:(\d{1,5})$/;
const NOTHING = Buffer.alloc(0);

/** `CONNECT 127.0.0.1:port`, with the token that gives the right in the field `sallyport-token`. */
export function createConnectHandler(
  options: ConnectOptions,
): (request: IncomingMessage, socket: Socket, early: Buffer | undefined) => void {
  return (request, socket, early) => {
    // Whatever is wrong with it shows when it is used.
    socket.on('error', () => undefined);
    socket.setTimeout(0);
    void connect(options, request, socket, early ?? NOTHING).then((refusal) => {
      if (refusal === undefined) return;
      options.onRefused(refusal, socket.remoteAddress);
      refuse(socket, refusal);
    });
  };
}

/** Undefined: connected. */
async function connect(
  { guard, channels, connector, reset, onOpened }: ConnectOptions,
  request: IncomingMessage,
  socket: Socket,
  early: Buffer,
): Promise<Refusal | undefined> {
  const port = Number(TARGET.exec(request.url ?? '')?.[1]);
  if (!isPort(port)) return 'address_refused';
  const token = request.headers['sallyport-token'];
  if (typeof token !== 'string') return 'token_missing';
  const claims = await guard.present(token);
  if (!claims.ok) return claims.error;
  const { ownerEpoch, memberId } = claims.value;
  const right = guard.mayOpen(ownerEpoch, port);
  if (!right.ok) return right.error;
  const channel = channels.open(ownerEpoch, port);
  if (channel === undefined) return 'over_limit';
  const gone = new AbortController();
  const onClose = (): void => gone.abort();
  socket.once('close', onClose);
  const dialled = await connector.dial(port, AbortSignal.any([channel.dialling, gone.signal]));
  socket.removeListener('close', onClose);
  if (!dialled.ok) {
    channel.abandon();
    return refusalOfDial(dialled.error);
  }
  if (socket.destroyed) {
    channel.abandon();
    dialled.value.destroy();
    return undefined;
  }
  // Nothing may come between this and the first byte: the right is judged in the same turn.
  if (!guard.mayForward(ownerEpoch, port)) {
    channel.abandon();
    dialled.value.destroy();
    return 'epoch_fenced';
  }
  onOpened({ ownerEpoch, memberId, port, localPort: dialled.value.localPort });
  socket.write('HTTP/1.1 200 Connected\r\n\r\n');
  channel.splice({ socket, reset: () => reset(socket) }, dialled.value, early);
  return undefined;
}
