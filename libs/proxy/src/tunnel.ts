import { type Instant, later } from '@sallyport/model';
import { type AppConnection, type AppUser, takeAnswersRest } from './app-connection.ts';
import type { ClientSide } from './client-side.ts';
import type { ServingInstance } from './instance.ts';
import type { Outbox } from './outbox.ts';
import type { Ending } from './records.ts';
import type { CloseReason } from './streams.ts';

/** Two spliced sockets, after the application's 101. What follows is bytes: nothing here knows WebSocket. */
export interface Tunnel {
  clientData(chunk: Buffer): void;
  clientDrained(): void;
  /** The client sends no more, and may still listen. */
  clientEnded(): void;
  clientGone(): void;
  tick(now: Instant): void;
  /** Closes the client's socket within this call, and the application's by what is returned. */
  close(reason: CloseReason): () => void;
  bytesIn(): number;
  bytesOut(): number;
}

export interface TunnelOptions {
  /** Its outbox holds the 101. */
  readonly client: ClientSide;
  readonly app: AppConnection;
  readonly appOutbox: Outbox;
  readonly instance: ServingInstance;
  /** Called once. */
  readonly onEnd: (ending: Ending) => void;
}

export function startTunnel({ client, app, appOutbox, instance, onEnd }: TunnelOptions): Tunnel {
  const { clock, limits } = client.surroundings;
  let lastActivityAt = clock.now();
  let clientEnded = false;
  let appEnded = false;
  let over = false;
  let bytesIn = 0;
  let bytesOut = 0;

  function end(ending: Ending): void {
    if (over) return;
    over = true;
    app.user = undefined;
    onEnd(ending);
  }

  function close(ending: Ending): () => void {
    client.cut('reset');
    return () => {
      app.socket.destroy();
      end(ending);
    };
  }

  /** Checked for every chunk, in both directions: past the deadline not one byte more. */
  function maySend(): boolean {
    const now = clock.now();
    lastActivityAt = now;
    if (now < instance.until()) return true;
    close('expired')();
    return false;
  }

  /** Both have ended: what was written may still leave. */
  function endIfWhole(): void {
    if (!clientEnded || !appEnded) return;
    const { socket } = app;
    socket.destroySoon();
    // An application that does not read its last bytes must not hold the socket for ever.
    const cancel = clock.at(later(clock.now(), limits.tunnelHalfClosedMs), () => void socket.destroy());
    socket.once('close', cancel);
    end('complete');
    client.answered(true);
  }

  function toApp(chunk: Buffer): void {
    bytesIn += chunk.length;
    appOutbox.bytes(chunk);
    appOutbox.whenGathered(sendGathered);
  }

  function sendGathered(): void {
    if (!over && maySend() && !appOutbox.flush()) client.pause();
  }

  const user: AppUser = {
    appData(chunk) {
      if (over || !maySend()) return;
      bytesOut += chunk.length;
      client.outbox.bytes(chunk);
      if (!client.outbox.flush()) app.socket.pause();
    },
    appEnded() {
      if (over) return;
      lastActivityAt = clock.now();
      appEnded = true;
      client.end();
      endIfWhole();
    },
    appDrained: () => client.resume(),
    appLost() {
      if (over) return;
      end('app-gone');
      client.cut('reset-flushed');
    },
  };

  const tunnel: Tunnel = {
    clientData(chunk) {
      if (!over && maySend()) toApp(chunk);
    },
    clientDrained: () => void app.socket.resume(),
    clientEnded() {
      if (over) return;
      lastActivityAt = clock.now();
      sendGathered();
      if (over) return;
      clientEnded = true;
      app.socket.end();
      endIfWhole();
    },
    clientGone() {
      app.socket.destroy();
      end('client-gone');
    },
    tick(now) {
      const silentMs = now - lastActivityAt;
      const limitMs = clientEnded || appEnded ? limits.tunnelHalfClosedMs : limits.tunnelSilenceMs;
      if (silentMs >= limitMs) close('silent')();
    },
    close,
    bytesIn: () => bytesIn,
    bytesOut: () => bytesOut,
  };

  app.user = user;
  // Bytes that came with either head belong to the tunnel; the 101 leaves together with the application's.
  for (const chunk of takeAnswersRest(app)) {
    bytesOut += chunk.length;
    client.outbox.bytes(chunk);
  }
  if (!client.outbox.flush()) app.socket.pause();
  for (const chunk of client.takeRest()) toApp(chunk);
  client.resume();
  if (app.ended) user.appEnded();
  return tunnel;
}
