import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { createAuthority, type Issued } from '@sallyport/pki';

/** An application in a few lines, and how to end it. */
export interface SmallApp {
  readonly port: number;
  close(): Promise<void>;
}

const hello: RequestListener = (_request, response) => void response.end('hello\n');

/** As Vite, webpack and Django do: only `localhost` is its name. */
const picky: RequestListener = ({ headers: { host = '' } }, response) => {
  const known = host.startsWith('localhost');
  response.writeHead(known ? 200 : 403).end(known ? 'hello\n' : `Blocked request. This host ("${host}") is not allowed.`);
};

export const helloAt = (address: string, port = 0): Promise<SmallApp> => listen(createHttpServer(hello), address, port);
export const startPicky = (): Promise<SmallApp> => listen(createHttpServer(picky), '127.0.0.1');
export const startTls = ({ certPem, keyPem }: Issued, options: ServerOptions = {}): Promise<SmallApp> =>
  listen(createTlsServer({ cert: certPem, key: keyPem, ...options }, hello), '127.0.0.1');

export interface Vouched extends Issued {
  readonly caPem: string;
}

/** Under an authority of its own, for this machine; valid from `now`. */
export async function issueLoopback(now: Date): Promise<Vouched> {
  const authority = await createAuthority({ commonName: 'somebody', days: 30, now: new Date() });
  const issued = await authority.issue({
    dnsNames: ['localhost'],
    ipAddresses: ['127.0.0.1'],
    usages: ['server'],
    days: 1,
    now,
  });
  return { ...issued, caPem: authority.certPem };
}

/** Below what systems hand out by themselves, so that nobody takes them meanwhile by chance. */
const CHOSEN_FROM = 10_000;
const CHOSEN_TO = 30_000;

/** The first of so many in a row that nobody listens on now. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = CHOSEN_FROM + Math.floor(Math.random() * (CHOSEN_TO - CHOSEN_FROM));
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isFree(first + index)));
    if (free.every(Boolean)) return first;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((done) => {
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}

async function listen(server: Server, address: string, port = 0): Promise<SmallApp> {
  await new Promise<void>((listening) => server.listen(port, address, listening));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}
