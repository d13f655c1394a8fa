import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Message } from '../stage/message.ts';
import { createMessageReader, type MessageReader } from '../stage/message-reader.ts';

/** The application behind our listener: notes every request, and complains about whatever is not plain HTTP/1.1. */
export interface Recorder {
  readonly port: number;
  /** Forgets the case before; what comes from now on belongs to the next. */
  begin(answer?: Answering): void;
  /** In the order in which their heads came. */
  requests(): readonly Message[];
  faults(): readonly string[];
  /** Called whenever something came. */
  onChange: () => void;
  close(): Promise<void>;
}

/** Answers a request that is whole. `nth` counts the requests of the case. */
export type Answering = (socket: Socket, request: Message, nth: number) => void;

export function answerWithNumber(socket: Socket, request: Message, nth: number): void {
  const body = String(nth);
  const shown = request.startLine.startsWith('HEAD ') ? '' : body;
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${shown}`, 'latin1');
}

export async function startRecorder(): Promise<Recorder> {
  const sockets = new Set<Socket>();
  let seen: Message[] = [];
  let faults: string[] = [];
  let answering = answerWithNumber;

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket);
    const reader: MessageReader = createMessageReader({
      kind: 'request',
      onHead(message) {
        seen.push(message);
      },
      onWhole(message) {
        const nth = seen.indexOf(message);
        if (nth === -1) faults.push('the end of a request of an earlier case');
        else answering(socket, message, nth);
      },
    });
    socket.on('data', (chunk: Buffer) => {
      reader.push(chunk);
      if (reader.fault !== undefined) faults.push(reader.fault);
      recorder.onChange();
    });
    socket.on('end', () => {
      reader.end(true);
      socket.end();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      reader.end(false);
      recorder.onChange();
    });
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');

  const recorder: Recorder = {
    port: (server.address() as AddressInfo).port,
    begin(answer = answerWithNumber) {
      seen = [];
      faults = [];
      answering = answer;
    },
    requests: () => seen,
    faults: () => faults,
    onChange: () => {},
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
  return recorder;
}
