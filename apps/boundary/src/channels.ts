import type { Socket } from 'node:net';
import { type Instant, later, type OwnerEpoch } from '@sallyport/model';
import type { Clock } from '@sallyport/process';

/** A supervisor's end of a channel. */
export interface Supervisor {
  readonly socket: Socket;
  /** Breaks the connection so that it cannot be taken for an end in good order. */
  reset(): void;
}

/** One way to the application, from the moment it is asked for: also its dial ends when its right does. */
export interface Channel {
  readonly dialling: AbortSignal;
  /** Joins both ends; `early` came with the request. False: its right ended meanwhile, and both sockets are gone. */
  splice(supervisor: Supervisor, app: Socket, early: Buffer): boolean;
  /** Came to nothing. */
  abandon(): void;
}

export interface Channels {
  /** Undefined at the limit. */
  open(epoch: OwnerEpoch, port: number): Channel | undefined;
  /** Closes what may not go on, within this call. */
  enforce(): void;
  closeAll(): void;
  count(): number;
}

export interface ChannelsOptions {
  readonly mayForward: (epoch: OwnerEpoch, port: number) => boolean;
  readonly clock: Clock;
  readonly channelsMax: number;
  readonly silenceMs: number;
  readonly onBytes: (direction: 'in' | 'out', count: number) => void;
  /** A channel was cut because its right ended. */
  readonly onCut: () => void;
}

export function createChannels(options: ChannelsOptions): Channels {
  const { mayForward, clock, channelsMax, silenceMs, onBytes, onCut } = options;
  const open = new Set<{ readonly allowed: () => boolean; lastActivityAt: Instant; cut(): void }>();

  return {
    open(epoch, port) {
      if (open.size >= channelsMax) return undefined;
      const dial = new AbortController();
      const allowed = (): boolean => mayForward(epoch, port);
      let resetBoth: (() => void) | undefined;
      let closedCount = 0;
      const entry = {
        allowed,
        lastActivityAt: clock.now(),
        cut(): void {
          open.delete(entry);
          dial.abort();
          // A reset drops what the application has not taken yet: not one byte more reaches it.
          resetBoth?.();
        },
      };
      open.add(entry);

      function relay(from: Socket, to: Socket, direction: 'in' | 'out', resetOther: () => void): void {
        from.on('data', (chunk: Buffer) => {
          if (!open.has(entry)) return;
          // Judged for each chunk: a stalled loop delivers bytes before the timer that should have ended them.
          if (!allowed()) {
            onCut();
            return entry.cut();
          }
          entry.lastActivityAt = clock.now();
          onBytes(direction, chunk.length);
          if (!to.write(chunk)) from.pause();
        });
        to.on('drain', () => from.resume());
        from.on('end', () => to.end());
        from.on('error', resetOther);
        from.on('close', () => {
          closedCount += 1;
          // Until both have closed, something of it may still be on its way to the application.
          if (closedCount === 2) open.delete(entry);
          // What was written may still leave.
          if (!to.destroyed) to.end();
        });
      }

      return {
        dialling: dial.signal,
        splice(supervisor, app, early) {
          if (!open.has(entry) || !allowed()) {
            app.destroy();
            entry.cut();
            return false;
          }
          const resetApp = (): void => reset(app);
          const resetSupervisor = (): void => supervisor.reset();
          resetBoth = () => {
            resetApp();
            resetSupervisor();
          };
          relay(supervisor.socket, app, 'in', resetApp);
          relay(app, supervisor.socket, 'out', resetSupervisor);
          if (early.length > 0) supervisor.socket.unshift(early);
          return true;
        },
        abandon: () => void open.delete(entry),
      };
    },
    enforce() {
      const now = clock.now();
      for (const entry of [...open]) {
        const silent = now >= later(entry.lastActivityAt, silenceMs);
        if (entry.allowed() && !silent) continue;
        if (!silent) onCut();
        entry.cut();
      }
    },
    closeAll() {
      for (const entry of [...open]) entry.cut();
    },
    count: () => open.size,
  };
}

/** What is being shut down at this moment cannot be reset: libuv refuses, and Node would leave it open for ever. */
export function reset(socket: Socket, shutting = socket.writableEnded && !socket.writableFinished): void {
  if (shutting) socket.destroy();
  else socket.resetAndDestroy();
}
