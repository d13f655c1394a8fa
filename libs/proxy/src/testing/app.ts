import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** One connection that the proxy opened to the application, with what came on it. */
export interface AppSocket {
  readonly index: number;
  readonly socket: Socket;
  /** Everything received, latin1. */
  readonly received: () => string;
  readonly closed: () => boolean;
  readonly ended: () => boolean;
}

export interface App {
  readonly port: number;
  readonly connections: AppSocket[];
  /** Connections that the proxy has not ended. */
  openCount(): number;
  /** All connections together. */
  received(): string;
  close(): Promise<void>;
}

export type Script = (connection: AppSocket, chunk: Buffer) => void;

/** A raw application on loopback: `script` is called with each piece that arrives. */
export async function startApp(script: Script, { host = '127.0.0.1', port = 0 } = {}): Promise<App> {
  const connections: AppSocket[] = [];
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    let text = '';
    let [closed, ended] = [false, false];
    const connection: AppSocket = {
      index: connections.length,
      socket,
      received: () => text,
      closed: () => closed,
      ended: () => ended,
    };
    connections.push(connection);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      script(connection, chunk);
    });
    socket.on('end', () => {
      ended = true;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      closed = true;
    });
  });
  server.listen({ host, port });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    openCount: () => connections.filter((connection) => !connection.closed() && !connection.ended()).length,
    received: () => connections.map((connection) => connection.received()).join(''),
    async close() {
      for (const { socket } of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers each head (a body is ignored) with a text, and stays open. */
export const answerEach =
  (answer: string | ((head: string, connection: AppSocket) => string)): Script =>
  (connection, chunk) => {
    for (const head of chunk.toString('latin1').split('\r\n\r\n').slice(0, -1)) {
      connection.socket.write(typeof answer === 'string' ? answer : answer(head, connection), 'latin1');
    }
  };

export const respond = (body: string, fields = '', status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`;
