import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type Address, listen } from '@sallyport/process';
import { peerIn, type TlsMaterial } from '@sallyport/wire';
import { reset } from './channels.ts';
import { HEAD_FIELDS_MAX, type Limits } from './limits.ts';
import { type OnRefused, refusalOfHead } from './refusals.ts';
import { refuse } from './refuse.ts';

export interface BoundaryListener {
  readonly address: Address;
  /** New connections get this certificate and this CA. */
  secure(material: TlsMaterial): void;
  connectionCount(): number;
  /** Breaks the TCP connection under one of its sockets: Node resets none that speaks TLS. */
  reset(socket: Socket): void;
  close(): Promise<void>;
}

export type ConnectionEvent = 'accepted' | 'refused_peer' | 'handshake_failed' | 'bad_request' | 'over_limit';

export interface ListenerOptions {
  readonly address: Address;
  readonly material: TlsMaterial;
  readonly trustDomain: string;
  readonly limits: Limits;
  readonly onRequest: Parameters<Server['on']>[1];
  readonly onConnect: (...args: never[]) => void;
  readonly onEvent: (event: ConnectionEvent, facts?: { readonly address: string | undefined; readonly reason: string }) => void;
  readonly onRefused: OnRefused;
}

const CHECK_EVERY_MS = 1_000;

/** HTTP/1.1 over mutual TLS for supervisors alone: whoever shows no certificate of our CA does not reach the HTTP. */
export async function listenForSupervisors(options: ListenerOptions): Promise<BoundaryListener> {
  const { address, material, trustDomain, limits, onEvent, onRefused } = options;
  const raws = new Map<string, Socket>();
  const secure = (of: TlsMaterial) => ({ ca: of.ca, cert: of.cert, key: of.key, minVersion: 'TLSv1.3' as const });
  const server = createServer({
    ...secure(material),
    requestCert: true,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: limits.handshakeMs,
    maxHeaderSize: limits.headBytesMax,
    headersTimeout: limits.requestMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: CHECK_EVERY_MS,
    insecureHTTPParser: false,
    noDelay: true,
  } as Parameters<typeof createServer>[0]);
  server.maxConnections = limits.connectionsMax;
  server.maxHeadersCount = HEAD_FIELDS_MAX;
  // One that never says a word is no request yet, so the timeouts of a head do not see it.
  server.timeout = limits.idleMs;

  server.on('connection', (socket: Socket) => {
    const ends = endsOf(socket);
    raws.set(ends, socket);
    socket.once('close', () => raws.get(ends) === socket && raws.delete(ends));
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    // Not before: a client that ends inside its handshake must not leave a half-open connection behind.
    socket.allowHalfOpen = true;
    if (peerIn(socket.getPeerCertificate().subjectaltname, trustDomain)?.app === 'supervisor') return onEvent('accepted');
    onEvent('refused_peer', { address: socket.remoteAddress, reason: 'its certificate is no supervisor of ours' });
    socket.destroy();
  });
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    onEvent('handshake_failed', { address: socket.remoteAddress, reason: error.code ?? error.message });
    socket.destroy();
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    onEvent('bad_request');
    // Whoever was refused already, or has gone, is told nothing.
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const refusal = refusalOfHead(error.code);
    onRefused(refusal, socket.remoteAddress);
    refuse(socket, refusal);
  });
  server.on('drop', () => onEvent('over_limit'));
  server.on('request', options.onRequest as never);
  server.on('connect', options.onConnect as never);
  const bound = await listen(server, address, 'boundary-listen');
  return {
    address: bound,
    secure: (next) => server.setSecureContext(secure(next)),
    connectionCount: () => raws.size,
    reset(socket) {
      const raw = raws.get(endsOf(socket));
      if (raw === undefined) socket.destroy();
      else reset(raw, socket.writableEnded && !socket.writableFinished);
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        for (const raw of raws.values()) raw.destroy();
      }),
  };
}

const endsOf = (socket: Socket): string => `${socket.remoteAddress} ${socket.remotePort}`;
