import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import { readByNode } from './node-answer.ts';
import { type Peer, type PeerOutcome, type PeerRequest, plainHost } from './peer.ts';

/** Node's own server, as it is by default, on a stream instead of a socket. */
export function startNodePeer(): Peer {
  const server = createServer({
    maxHeaderSize: 1_048_576,
    requestTimeout: 0,
    headersTimeout: 0,
    connectionsCheckingInterval: 0x7fff_ffff,
  });
  server.maxHeadersCount = 0;
  server.timeout = 0;
  // It answers what it read before the end of the stream.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('request', answer);
  // Without these it answers by itself: it is here for how it reads.
  server.on('checkExpectation', answer);
  server.on('checkContinue', answer);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket instanceof Pipe) socket.refused(error.code ?? error.message);
    // Its parser is ahead of its streams: requests that it has read before are still to be told of.
    setImmediate(() => setImmediate(() => socket.destroy()));
  });

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('error', () => {});
    request.on('end', () => {
      if (!request.complete) return;
      const body = Buffer.concat(parts).toString('latin1');
      const { socket } = request;
      const pipe: unknown = socket;
      if (pipe instanceof Pipe) pipe.took({ method: request.method ?? '', host: plainHost(request.headers.host ?? ''), body });
      response.end('ok');
    });
  }

  return {
    name: 'node',
    ask(_lane, bytes, again) {
      return new Promise((resolve) => {
        const pipe = new Pipe(resolve, again ? 3_000 : 300);
        server.emit('connection', pipe);
        pipe.push(Buffer.from(bytes, 'latin1'));
        pipe.push(null);
      });
    },
    askAnswer: readByNode,
    async close() {
      server.close();
    },
  };
}

class Pipe extends Duplex {
  readonly #requests: PeerRequest[] = [];
  readonly #refusals: string[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly #done: (outcome: PeerOutcome) => void;
  #hung = false;

  constructor(done: (outcome: PeerOutcome) => void, hangMs: number) {
    super({ allowHalfOpen: true });
    this.#done = done;
    this.#timer = setTimeout(() => {
      this.#hung = true;
      this.destroy();
    }, hangMs);
    this.on('error', () => {});
  }

  took(request: PeerRequest): void {
    this.#requests.push(request);
  }

  refused(why: string): void {
    this.#refusals.push(why);
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    const status = /^HTTP\/1\.1 ([45]\d\d)/.exec(chunk.toString('latin1', 0, 40))?.[1];
    if (status !== undefined) this.#refusals.push(status);
    callback();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    clearTimeout(this.#timer);
    this.#done({ requests: this.#requests, refusals: this.#refusals, hung: this.#hung });
    callback(error);
  }
}
