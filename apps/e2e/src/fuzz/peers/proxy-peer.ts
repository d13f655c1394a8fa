import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { readAnswer } from './loose-answer.ts';
import { createLooseReader } from './loose-reader.ts';
import type { PeerAnswer, PeerOutcome, PeerRequest } from './peer.ts';

/** One application behind another proxy, and the port at which that proxy is asked for it. */
export interface PeerLane {
  readonly appPort: number;
  ask(proxyPort: number, bytes: string, patience: Patience): Promise<PeerOutcome>;
  askAnswer(proxyPort: number, method: string, bytes: string): Promise<PeerAnswer>;
  close(): void;
}

export interface Patience {
  /**
   * How long it may be silent before it is sent our end, 0 for at once. HAProxy forgets what was pipelined when it sees the
   * end behind it; a body that never comes whole has no other end.
   */
  readonly quietMs: number;
}

const HANG_MS = 6_000;

export async function openPeerLane(): Promise<PeerLane> {
  const sockets = new Set<Socket>();
  let requests: PeerRequest[] = [];
  let asking: Socket | undefined;
  /** What the application sends and then ends; undefined: plain good answers. */
  let scripted: string | undefined;
  const app: Server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    const read = createLooseReader((request, client) => {
      // What a busy machine brings late is of the case before.
      const isOfThisCase = client === asking?.localPort;
      if (isOfThisCase) requests.push(request);
      if (isOfThisCase && scripted !== undefined) socket.end(scripted, 'latin1');
      else socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n${request.method === 'HEAD' ? '' : 'ok'}`);
    });
    socket.on('data', read);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  app.listen({ host: '127.0.0.1', port: 0 });
  await once(app, 'listening');

  return {
    appPort: (app.address() as AddressInfo).port,
    /** Sends all and its end, and waits for the other end: a proxy answers what it took before it ends. */
    ask(proxyPort, bytes, { quietMs }) {
      requests = [];
      let answers = '';
      return new Promise((resolve) => {
        const socket = connect({ host: '127.0.0.1', port: proxyPort, noDelay: true, allowHalfOpen: true });
        asking = socket;
        let hung = false;
        const timer = setTimeout(() => {
          hung = true;
          socket.destroy();
        }, HANG_MS);
        let quiet = quietMs === 0 ? undefined : setTimeout(() => socket.end(), quietMs);
        socket.on('error', () => {});
        socket.on('data', (chunk: Buffer) => {
          quiet?.refresh();
          answers += chunk.toString('latin1');
        });
        socket.on('end', () => socket.destroy());
        socket.on('close', () => {
          clearTimeout(timer);
          clearTimeout(quiet);
          quiet = undefined;
          const refusals = [...answers.matchAll(/HTTP\/1\.[01] ([45]\d\d) /g)].map(([, status]) => status ?? '');
          resolve({ requests, refusals, hung });
        });
        if (quietMs === 0) socket.end(bytes, 'latin1');
        else socket.write(bytes, 'latin1');
      });
    },
    askAnswer(proxyPort, method, bytes) {
      scripted = bytes;
      let got = '';
      return new Promise((resolve) => {
        const socket = connect({ host: '127.0.0.1', port: proxyPort, noDelay: true, allowHalfOpen: true });
        asking = socket;
        const timer = setTimeout(() => socket.destroy(), HANG_MS);
        let clean = false;
        socket.on('error', () => {});
        socket.on('data', (chunk: Buffer) => {
          got += chunk.toString('latin1');
        });
        socket.on('end', () => {
          clean = true;
          socket.destroy();
        });
        socket.on('close', () => {
          clearTimeout(timer);
          scripted = undefined;
          resolve(readAnswer(got, method === 'HEAD', clean));
        });
        socket.write(`${method} /first HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`);
      });
    },
    close() {
      app.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
