import { connect, type Socket } from 'node:net';
import { err, later, ok, type Result } from '@sallyport/model';
import type { Clock } from './clock.ts';
import type { Connector, DialFailure } from './connector.ts';
import { asData } from './lend.ts';

export interface LoopbackOptions {
  readonly clock: Clock;
  /** Ports of this process's own listeners, read at every dial: whoever listens on a port of its own adds it. */
  readonly forbiddenPorts: ReadonlySet<number>;
  readonly dialMs: number;
  /** What is read is lent, see Connector: one piece of memory serves all connections. Off: everybody gets memory of their own. */
  readonly lends?: boolean;
}

/** Many dev servers listen on `localhost`, which is one or the other. */
const ADDRESSES = ['127.0.0.1', '::1'] as const;
/** Read at once from one connection; what TLS and the system's own buffers take in one go. Bytes. */
const READ_BYTES_MAX = 64 * 1_024;

/** An application that restarts is back within a moment. Only a refused connect is tried again: nothing was sent yet. */
const RETRY_AFTER_MS = [50, 100, 200] as const;

/** Reaches the application on the loopback of this network namespace. */
export function createLoopback({ clock, forbiddenPorts, dialMs, lends = false }: LoopbackOptions): Connector {
  // Memory of its own for each read, filled or not, is what a collector of garbage spends most of its time on.
  const shared = lends ? Buffer.allocUnsafeSlow(READ_BYTES_MAX) : undefined;

  async function dialEach(port: number, signal: AbortSignal): Promise<Result<Socket, DialFailure>> {
    let outcome: Result<Socket, DialFailure> = err({ kind: 'refused' });
    for (const address of ADDRESSES) {
      outcome = await dialOnce(address, port, signal);
      if (outcome.ok || outcome.error.kind !== 'refused') return outcome;
    }
    return outcome;
  }

  function dialOnce(host: string, port: number, signal: AbortSignal): Promise<Result<Socket, DialFailure>> {
    return new Promise((resolve) => {
      const socket: Socket = connect({
        host,
        port,
        noDelay: true,
        allowHalfOpen: true,
        ...(shared === undefined ? {} : { onread: asData(shared, () => socket) }),
      });
      const cancel = clock.at(later(clock.now(), dialMs), () => settle(err({ kind: 'timeout' })));
      const onAbort = (): void => settle(err({ kind: 'aborted' }));
      const onError = (error: NodeJS.ErrnoException): void => settle(err(failureOf(error)));
      function settle(outcome: Result<Socket, DialFailure>) {
        cancel();
        signal.removeEventListener('abort', onAbort);
        socket.removeListener('connect', onConnect);
        socket.removeListener('error', onError);
        if (!outcome.ok) {
          socket.on('error', () => {});
          socket.destroy();
        }
        resolve(outcome);
      }
      function onConnect(): void {
        // Dialling a port of the ephemeral range that nobody listens on can meet itself (a simultaneous open of TCP).
        if (socket.localPort === port && socket.localAddress === host) settle(err({ kind: 'refused' }));
        else settle(ok(socket));
      }
      signal.addEventListener('abort', onAbort);
      socket.on('connect', onConnect);
      socket.on('error', onError);
    });
  }

  /** False if aborted meanwhile. */
  function pause(ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (waited: boolean): void => {
        cancel();
        signal.removeEventListener('abort', onAbort);
        resolve(waited);
      };
      const onAbort = (): void => end(false);
      const cancel = clock.at(later(clock.now(), ms), () => end(true));
      signal.addEventListener('abort', onAbort);
    });
  }

  return {
    async dial(port, signal) {
      if (forbiddenPorts.has(port)) return err({ kind: 'forbidden' });
      for (const waitMs of [...RETRY_AFTER_MS, undefined]) {
        if (signal.aborted) return err({ kind: 'aborted' });
        const outcome = await dialEach(port, signal);
        if (outcome.ok || outcome.error.kind !== 'refused' || waitMs === undefined) return outcome;
        if (!(await pause(waitMs, signal))) return err({ kind: 'aborted' });
      }
      return err({ kind: 'refused' });
    },
  };
}

/** Besides ECONNREFUSED: no IPv6 on this machine, so nothing can listen there. */
const REFUSALS: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'ENETUNREACH',
  'EHOSTUNREACH',
]);

function failureOf({ code, message }: NodeJS.ErrnoException): DialFailure {
  if (REFUSALS.has(code)) return { kind: 'refused' };
  return code === 'ETIMEDOUT' ? { kind: 'timeout' } : { kind: 'failed', message };
}
