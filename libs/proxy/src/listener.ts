import { createServer, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type Instant, later, normaliseHost } from '@sallyport/model';
import type { Alert } from '@sallyport/tls-hello';
import type { Certificates } from './certificate-watch.ts';
import { type CidrSet, normaliseAddress } from './cidr.ts';
import { type ClientConnection, createClientConnection } from './client-connection.ts';
import { createClientCounts } from './client-counts.ts';
import type { Surroundings } from './client-side.ts';
import type { Clock } from './clock.ts';
import { answerAlert, answerPlainHttp, type Opening, readOpening } from './first-bytes.ts';
import { forget } from './forget.ts';
import { createHandshakes } from './handshakes.ts';
import type { Instances } from './instances.ts';
import { lendReads, RECORD_BYTES_MAX } from './lent-reads.ts';
import { codecLimits, KEEPALIVE_AFTER_MS, type Limits, TICK_MS } from './limits.ts';
import type { ConnectionEvent, ExchangeRecord } from './records.ts';
import { createSlabs } from './slabs.ts';
import { tcpBeneath } from './tls-inside.ts';

export interface ListenerOptions {
  /** Address to listen on, `::` for all. */
  readonly address: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly certificates: Certificates;
  readonly instances: Instances;
  readonly limits: Limits;
  /** Peers whose PROXY protocol v2 header and X-Forwarded-For are believed, and which do not count as one client. */
  readonly trusted: CidrSet;
  readonly clock: Clock;
  /** Once for each exchange, at its end. */
  readonly onExchange: (record: ExchangeRecord) => void;
  readonly onConnection: (event: ConnectionEvent) => void;
}

export interface Listener {
  /** The port that it really has. */
  readonly port: number;
  connectionCount(): number;
  /**
   * Accepts nothing more, lets exchanges finish (they say `Connection: close`), closes tunnels and what is left when
   * the grace is over. Resolves when the last connection is closed.
   */
  drain(graceMs: number): Promise<void>;
}

/** One accepted TCP connection, from its first moment. */
interface Accepted {
  readonly raw: Socket;
  readonly since: Instant;
  readonly address: string;
  /** Whom it counts for; undefined for trusted peers. */
  counted: string | undefined;
  /** As a believed PROXY header states it. */
  stated: string | undefined;
  /** In its hello, as sent. */
  serverName: string;
  /** By ourselves, before any handshake; what is left is the client's end. */
  answered: boolean;
  /** After the handshake. */
  connection: ClientConnection | undefined;
  /** Whether TCP asks now and then if the client is still there. */
  isKeptAlive: boolean;
}

/** Opens the one TLS listener of the process. Rejects if the address cannot be had. */
export async function listenForApps(options: ListenerOptions): Promise<Listener> {
  const { certificates, instances, limits, trusted, clock, onConnection } = options;
  const open = new Set<Accepted>();
  /** In their handshakes. */
  const awaitingTls = new Map<Socket | undefined, Accepted>();
  const perClient = createClientCounts(limits.connectionsPerClientMax);
  const surroundings: Surroundings = {
    clock,
    limits,
    codecLimits: codecLimits(limits),
    trusted,
    statedClients: createClientCounts(limits.connectionsPerClientMax),
    slabs: createSlabs(),
    onExchange: options.onExchange,
  };
  const readMemory = Buffer.allocUnsafeSlow(RECORD_BYTES_MAX);
  let draining = false;
  let onEmpty = (): void => {};

  const shakeHands = createHandshakes({
    clientRequired: certificates.clientRequired,
    // Our own tick ends what takes too long, from the first byte on; this is the net beneath.
    timeoutMs: 2 * limits.handshakeMs,
    onSecured: secured,
    onFailed: () => onConnection('handshake-failed'),
  });

  function accept(raw: Socket): void {
    raw.on('error', () => {});
    if (open.size >= limits.connectionsMax) {
      onConnection('over-process-limit');
      raw.destroy();
      return;
    }
    onConnection('accepted');
    const accepted: Accepted = {
      raw,
      since: clock.now(),
      address: normaliseAddress(raw.remoteAddress ?? ''),
      counted: undefined,
      stated: undefined,
      serverName: '',
      answered: false,
      connection: undefined,
      isKeptAlive: false,
    };
    open.add(accepted);
    raw.on('close', () => closed(accepted));
    if (!trusted.has(accepted.address) && !count(accepted, accepted.address)) return;
    readOpening(raw, (opening) => opened(accepted, opening));
    raw.on('end', () => {
      if (accepted.connection === undefined) raw.destroy();
    });
  }

  function count(accepted: Accepted, client: string): boolean {
    if (perClient.enter(client)) {
      accepted.counted = client;
      return true;
    }
    onConnection('over-client-limit');
    accepted.raw.destroy();
    return false;
  }

  function opened(accepted: Accepted, opening: Opening) {
    const { raw } = accepted;
    switch (opening.kind) {
      case 'plain-http':
        onConnection('plain-http');
        accepted.answered = true;
        return answerPlainHttp(raw);
      case 'hello-bad':
        return refuse(accepted, opening.nameless ? 'name-unknown' : 'handshake-failed', opening.alert);
      case 'proxy-bad':
        return refuse(accepted, 'proxy-header-bad');
      case 'other':
        return refuse(accepted, 'handshake-failed');
      case 'hello':
        return greeted(accepted, opening);
    }
  }

  function refuse(accepted: Accepted, event: ConnectionEvent, alert?: Alert): void {
    onConnection(event);
    accepted.answered = true;
    if (alert === undefined) accepted.raw.destroy();
    else answerAlert(accepted.raw, alert);
  }

  function greeted(accepted: Accepted, { serverName, proxy, source }: Extract<Opening, { kind: 'hello' }>) {
    if (proxy && !trusted.has(accepted.address)) return refuse(accepted, 'proxy-header-untrusted');
    if (source !== undefined) {
      accepted.stated = source;
      if (!trusted.has(source) && !count(accepted, source)) return;
    }
    const host = normaliseHost(serverName);
    const certificate = instances.byHost(host) === undefined ? undefined : certificates.for(host);
    // Before any cryptography: whoever looks for names costs next to nothing.
    if (certificate === undefined) return refuse(accepted, 'name-unknown', 'unrecognizedName');
    accepted.serverName = serverName;
    awaitingTls.set(accepted.raw, accepted);
    shakeHands(accepted.raw, certificate);
  }

  function secured(socket: TLSSocket): void {
    const raw = tcpBeneath(socket);
    const accepted = awaitingTls.get(raw);
    awaitingTls.delete(raw);
    const serverName = normaliseHost(socket.servername || '');
    const instance = instances.byHost(serverName);
    // The name that we chose the certificate by is the one that TLS has read, or one of us has read it wrongly.
    if (accepted === undefined || accepted.serverName !== socket.servername || instance === undefined || draining) {
      socket.destroy();
      return;
    }
    // Not before: a client that ends inside its handshake must not leave a half-open connection behind.
    socket.allowHalfOpen = true;
    lendReads(socket, readMemory);
    const address = accepted.stated ?? accepted.address;
    const connection = createClientConnection({
      socket,
      raw: accepted.raw,
      serverName,
      // Behind a balancer of TCP the client itself wrote the request: X-Forwarded-For is believed of the one it states.
      peer: { address, trusted: trusted.has(address) },
      instance,
      instances,
      surroundings,
      draining: () => draining,
      onConnection,
      onClosed: () => instance.leave(connection),
    });
    if (!instance.enter(connection)) {
      onConnection('over-instance-limit');
      socket.destroy();
      return;
    }
    accepted.connection = connection;
    onConnection('secured');
  }

  function closed(accepted: Accepted): void {
    if (!open.delete(accepted)) return;
    accepted.connection = undefined;
    forget(accepted.raw);
    onConnection('closed');
    if (accepted.counted !== undefined) perClient.leave(accepted.counted);
    awaitingTls.delete(accepted.raw);
    if (open.size === 0) onEmpty();
  }

  /** All deadlines of connections are looked at here, twice a second, so that no request makes a timer. */
  function tick(): void {
    const now = clock.now();
    cancelTick = clock.at(later(now, TICK_MS), tick);
    instances.sweep(now);
    for (const accepted of open) {
      if (!accepted.isKeptAlive && now - accepted.since >= KEEPALIVE_AFTER_MS) {
        accepted.isKeptAlive = true;
        accepted.raw.setKeepAlive(true, KEEPALIVE_AFTER_MS);
      }
      if (accepted.connection !== undefined) accepted.connection.tick(now);
      else if (!accepted.raw.destroyed && now - accepted.since >= limits.handshakeMs) {
        if (!accepted.answered) onConnection('handshake-timeout');
        accepted.raw.destroy();
      }
    }
  }
  let cancelTick = clock.at(later(clock.now(), TICK_MS), tick);

  const server = createServer({ noDelay: true }, accept);
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: options.address, port: options.port, backlog: 4_096 }, () => {
      // From now on an error is a connection that could not be accepted, for want of file descriptors.
      server.removeListener('error', reject);
      server.on('error', () => onConnection('accept-failed'));
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : options.port);
    });
  });

  return {
    port,
    connectionCount: () => open.size,
    async drain(graceMs) {
      draining = true;
      server.close();
      const emptied = new Promise<void>((resolve) => {
        onEmpty = resolve;
      });
      for (const { connection, raw } of [...open]) {
        if (connection === undefined) raw.destroy();
        else connection.closeWhenIdle();
      }
      const cancelGrace = clock.at(later(clock.now(), graceMs), () => {
        for (const { connection, raw } of [...open]) {
          if (connection === undefined) raw.destroy();
          else connection.revoke();
        }
      });
      if (open.size > 0) await emptied;
      cancelGrace();
      cancelTick();
    },
  };
}
