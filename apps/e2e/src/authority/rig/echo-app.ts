import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The application in the sandbox: answers each request with its path, so that a probe knows its own answer. */
export interface EchoApp {
  readonly port: number;
  close(): Promise<void>;
}

export async function startEchoApp(): Promise<EchoApp> {
  const server: Server = createServer((request, response) => {
    if (request.url !== '/stream') return void response.end(request.url);
    response.writeHead(200, { 'content-type': 'text/plain' });
    const timer = setInterval(() => response.write('line\n'), 50);
    response.on('close', () => clearInterval(timer));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
