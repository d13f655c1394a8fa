import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Certificate } from './certificates.ts';

export interface HandshakesOptions {
  /** Only clients with a certificate of the configured authority. */
  readonly clientRequired: boolean;
  readonly timeoutMs: number;
  readonly onSecured: (socket: TLSSocket) => void;
  readonly onFailed: () => void;
}

/**
 * Has Node do the handshake on a TCP connection with this certificate, which the caller has chosen by the name in the hello.
 *
 * Node's own callback for the name would choose as well. But it stops each handshake half-way and then copies the certificate, its key and
 * its chain into the connection: a fifteenth of what a new connection costs. So there is one server for each certificate, with no callback.
 */
export function createHandshakes(options: HandshakesOptions): (raw: Socket, certificate: Certificate) => void {
  const { clientRequired, timeoutMs, onSecured, onFailed } = options;
  /** They listen to nothing, so they go with their certificates. */
  const servers = new WeakMap<Certificate, Server>();

  function serverFor(certificate: Certificate): Server {
    const server = createServer({
      ...certificate.options,
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: timeoutMs,
      requestCert: clientRequired,
      rejectUnauthorized: clientRequired,
    });
    server.on('secureConnection', onSecured);
    server.on('tlsClientError', (_error, socket) => {
      onFailed();
      socket.destroy();
    });
    servers.set(certificate, server);
    return server;
  }

  return (raw, certificate) => {
    (servers.get(certificate) ?? serverFor(certificate)).emit('connection', raw);
  };
}
