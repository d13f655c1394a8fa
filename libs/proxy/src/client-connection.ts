import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type Code, createRequestReader, type RequestReader } from '@sallyport/http1';
import type { Host, Instant } from '@sallyport/model';
import type { ClientSide, Cut, Surroundings } from './client-side.ts';
import { type Exchange, startExchange } from './exchange.ts';
import { forget } from './forget.ts';
import type { ServingInstance } from './instance.ts';
import type { Instances } from './instances.ts';
import { createOutbox } from './outbox.ts';
import type { Peer } from './peer.ts';
import type { ConnectionEvent } from './records.ts';
import { answerOurselves } from './refusal.ts';
import { hasCiphertext } from './tls-inside.ts';

const NOTHING = Buffer.alloc(0);
/** Stands where the reader of a connection was that has become a tunnel. */
const SPENT = createRequestReader<Buffer>();
SPENT.takeRest();
const copyOf = (lent: Buffer): Buffer => Buffer.from(lent);

/** A close follows an error of TCP. None follows one of TLS, as a forged record: Node sends its alert and leaves the connection open. */
function endFaulty(this: TLSSocket): void {
  this.destroy();
}

export interface ClientConnectionOptions {
  readonly socket: TLSSocket;
  /** The TCP connection beneath, by which the client is reset. */
  readonly raw: Socket;
  readonly serverName: Host;
  readonly peer: Peer;
  /** Who served the name at the handshake; it explains itself here when it is gone. */
  readonly instance: ServingInstance;
  readonly instances: Instances;
  readonly surroundings: Surroundings;
  readonly draining: () => boolean;
  readonly onConnection: (event: ConnectionEvent) => void;
  /** Once, when the socket is closed. */
  readonly onClosed: () => void;
}

export interface ClientConnection {
  tick(now: Instant): void;
  closeWhenIdle(): void;
  /** Ends whatever is live on it, and does not wait for a client that was told before. */
  revoke(): void;
}

/**
 * One client connection after its handshake: requests one after the other, each an exchange of its own; pipelined ones
 * wait in the reader, bounded. It ends with its answers read: after the last one it sends its end and takes what the
 * client still sends, or the client would be reset before it has read.
 */
export function createClientConnection(options: ClientConnectionOptions): ClientConnection {
  const { socket, raw, serverName, peer, instances, surroundings } = options;
  const { clock, limits } = surroundings;
  const outbox = createOutbox(socket, drained);
  let phase: 'open' | 'lingering' | 'cut' | 'closed' = 'open';
  let exchange: Exchange | undefined;
  /** When the present wait began: for a request, for the rest of a head, or for the client's end. */
  let waitsSince = clock.now();
  let inHead = false;
  let clientEnded = false;
  let droppedBytes = 0;

  /** Looked up for each request: a sandbox may have come back with another instance, and TLS alone authorises nothing. */
  const instanceNow = (): ServingInstance => instances.byHost(serverName) ?? options.instance;

  const closing = (): boolean => options.draining() || instanceNow().closing();

  function readRequests(): void {
    readAll();
    exchange?.flushRequest();
  }

  function readAll() {
    while (phase === 'open' && exchange?.tunnel() === undefined) {
      if (exchange !== undefined && !exchange.wantsRequest()) return;
      switch (client.requests.read()) {
        case 'head':
          inHead = false;
          exchange = startExchange(client, instanceNow(), client.requests.head);
          break;
        case 'data':
          exchange?.requestData(client.requests.data);
          break;
        case 'end':
          exchange?.requestEnd();
          break;
        case 'rejected':
          return refuseUnread(client.requests.rejection.code, client.requests.rejection.reason);
        case 'more':
          noteHead();
          socket.resume();
          return;
        case 'closed':
        case 'truncated':
          return linger();
      }
    }
  }

  /** The time for a head runs from its first byte. */
  function noteHead(): void {
    if (exchange !== undefined || client.requests.inHead() === inHead) return;
    inHead = client.requests.inHead();
    waitsSince = clock.now();
  }

  function refuseUnread(code: Code, reason: string) {
    if (exchange !== undefined) return exchange.requestBroken(code, reason);
    // Before `linger`, from which another wait begins.
    const durationMs = inHead ? clock.now() - waitsSince : 0;
    const answer = answerOurselves(code, { host: '', close: true, asksHead: client.requests.asksHead() });
    outbox.text(answer.text);
    outbox.flush();
    linger();
    surroundings.onExchange({
      kind: 'http',
      status: answer.status,
      ending: 'refused',
      code,
      reason,
      method: '',
      path: '',
      host: serverName,
      sandboxId: options.instance.sandboxId,
      service: undefined,
      bytesIn: 0,
      bytesOut: 0,
      durationMs,
      client: peer.address,
    });
  }

  /** Sends our end, and waits for the client's while dropping what comes. */
  function linger(): void {
    if (phase !== 'open') return;
    phase = 'lingering';
    exchange = undefined;
    waitsSince = clock.now();
    socket.end();
    socket.resume();
  }

  function cut(how: Cut): void {
    if (phase === 'cut' || phase === 'closed') return;
    phase = 'cut';
    exchange = undefined;
    waitsSince = clock.now();
    const end = (): void => {
      // What is being shut down at this moment cannot be reset: libuv refuses, and Node would leave it open for ever.
      const shutting = socket.writableEnded && !socket.writableFinished;
      if (how === 'close-flushed' || shutting) raw.destroy();
      else raw.resetAndDestroy();
    };
    if (how === 'reset' || socket.writableLength === 0) end();
    else socket.write(NOTHING, end);
  }

  const client: ClientSide & { requests: RequestReader<Buffer> } = {
    serverName,
    peer,
    requests: createRequestReader<Buffer>(surroundings.codecLimits),
    takeRest() {
      const rest = client.requests.takeRest();
      client.requests = SPENT;
      return rest;
    },
    outbox,
    surroundings,
    closing,
    readRequest: readRequests,
    answered(close) {
      if (close || clientEnded || closing()) return linger();
      exchange = undefined;
      inHead = false;
      waitsSince = clock.now();
      readRequests();
    },
    cut,
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    end: () => void socket.end(),
  };

  /** All of it was read, or is the reader's own, before the next connection reads into the same memory. */
  function onData(lent: Buffer) {
    const tunnel = exchange?.tunnel();
    if (tunnel !== undefined) return tunnel.clientData(lent);
    if (phase !== 'open') return drop(lent);
    const waits = client.requests.buffered() > 0;
    if (!client.requests.push(waits ? copyOf(lent) : lent)) socket.pause();
    readRequests();
    if (!waits && client.requests.buffered() > 0) client.requests.own(copyOf);
  }

  function drained(): void {
    const tunnel = exchange?.tunnel();
    if (tunnel !== undefined) tunnel.clientDrained();
    else exchange?.clientDrained();
  }

  function drop(chunk: Buffer): void {
    droppedBytes += chunk.length;
    if (droppedBytes > limits.lingerBytesMax) socket.destroy();
  }

  /** Only a tunnel is half-closed: a client that ends its side in an exchange has given it up. */
  function onEnd() {
    const tunnel = exchange?.tunnel();
    if (tunnel !== undefined) return tunnel.clientEnded();
    clientEnded = true;
    if (exchange === undefined) return linger();
    if (exchange.answerWhole()) return;
    exchange.clientGone();
    cut('reset');
  }

  function onClose(): void {
    phase = 'closed';
    const tunnel = exchange?.tunnel();
    if (tunnel !== undefined) tunnel.clientGone();
    else exchange?.clientGone();
    exchange = undefined;
    options.onClosed();
    forget(socket);
  }

  socket.on('data', onData);
  socket.on('end', onEnd);
  socket.on('drain', drained);
  socket.on('error', endFaulty);
  socket.on('close', onClose);

  /**
   * Nothing is read while the application takes no more, and a reset is told only to who reads or writes. A write of no
   * bytes asks the system for it: it puts nothing on the wire, and fails with the connection's error if there is one.
   * With bytes still to leave, the system tells by itself; and an end of ours behind TLS's own would be taken for that one's, whose
   * memory is then used again before the system has read it.
   */
  function askForReset(): void {
    if (phase === 'open' && socket.isPaused() && socket.writableLength === 0 && hasCiphertext(socket) === false)
      raw.write(NOTHING);
  }

  return {
    tick(now) {
      const waitedMs = now - waitsSince;
      askForReset();
      if (exchange !== undefined) return exchange.tick(now);
      if (phase === 'open' && inHead && waitedMs >= limits.headMs) {
        options.onConnection('head-timeout');
        return refuseUnread('head_timeout', 'the head took too long');
      }
      if (phase === 'open' && !inHead && waitedMs >= limits.idleMs) {
        options.onConnection('idle-timeout');
        return linger();
      }
      if (phase !== 'open' && waitedMs >= limits.lingerMs) raw.destroy();
    },
    closeWhenIdle() {
      if (exchange === undefined && !inHead) linger();
    },
    revoke() {
      exchange?.revoke('drained');
      if (phase === 'open') linger();
      else raw.destroy();
    },
  };
}
