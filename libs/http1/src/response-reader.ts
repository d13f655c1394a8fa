import { createBodyReader } from './body-reader.ts';
import type { Bytes } from './bytes.ts';
import type { Rejection } from './codes.ts';
import type { Fields, RequestHead, ResponseHead } from './head.ts';
import { createInput } from './input.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { readResponseHead } from './read-head.ts';
import { createSection, UNFINISHED } from './section.ts';
import { NO_TRAILERS } from './trailers.ts';
import { isWebSocketUpgrade } from './websocket.ts';
import type { Writable } from './writable.ts';

/**
 * What `read` found; as in the request reader, and besides:
 * - `interim`: `reader.head` is a 1xx answer (never 101); the final one follows.
 * - `head`: the final head.
 * - `switched`: `reader.head` is the 101 that was asked for; what follows belongs to the tunnel: `takeRest`.
 * - `closed`: the input ended before the first byte of the answer: the only case in which a request may be tried again.
 * - `truncated`: the input ended inside the answer. A body that ends with the connection gives `end` instead.
 */
export type ResponseEvent = 'interim' | 'head' | 'switched' | 'data' | 'end' | 'more' | 'closed' | 'truncated' | 'rejected';

/** Reads answers from one application connection. */
export interface ResponseReader<B> {
  /** A request has been (or is being) sent: the next bytes answer it. Bytes that nobody asked for are a rejection. */
  expect(request: Pick<RequestHead, 'method'>, webSocket: boolean): void;
  push(chunk: B): boolean;
  endOfInput(): void;
  read(): ResponseEvent;
  readonly head: ResponseHead;
  readonly data: B;
  readonly trailers: Fields;
  /** Its code is always `app_protocol`. */
  readonly rejection: Rejection;
  buffered(): number;
  /**
   * The answer is whole, the application lets the connection live and nothing came behind it. The caller adds what only it
   * knows: that the request was sent whole and that the socket is still open in both directions.
   */
  reusable(): boolean;
  /** All unread bytes, in order, for a tunnel. The reader is finished after this. */
  takeRest(): B[];
}

const PROTOCOL = 'HTTP/1.';

export function createResponseReader<B extends Bytes<B>>(limits: Limits = DEFAULT_LIMITS): ResponseReader<B> {
  const input = createInput<B>(limits);
  const section = createSection<B>('', limits.headBytesMax);
  const body = createBodyReader(input, limits);
  let state: 'unasked' | 'head' | 'body' | 'finished' | 'rejected' = 'unasked';
  let method = '';
  let webSocket = false;
  let interimCount = 0;

  /** Between exchanges. A second answer behind the first must reach nobody: it would be taken for the next request's. */
  function readUnasked(): ResponseEvent {
    if (input.chunk !== undefined) return reject('bytes that no request asked for');
    return input.ended ? 'closed' : 'more';
  }

  function readHead(): ResponseEvent {
    while (input.chunk !== undefined) {
      if (!startsLikeHttp(input.chunk)) return reject('an answer that is not HTTP/1');
      const end = section.take(input.chunk, input.at);
      if (end === UNFINISHED) {
        input.moveTo(input.chunk.length);
        continue;
      }
      if (end < 0) return reject('a malformed or too large head');
      input.moveTo(end);
      const read = readResponseHead(section.text, limits.fieldCountMax, method);
      if ('code' in read) return reject(read.reason);
      section.begin();
      reader.head = read;
      return announce(read);
    }
    if (!input.ended) return 'more';
    return section.size === 0 && interimCount === 0 ? 'closed' : 'truncated';
  }

  function announce(read: ResponseHead): ResponseEvent {
    if (read.status === 101) {
      if (!webSocket) return reject('a 101 that was not asked for');
      if (!isWebSocketUpgrade(read)) return reject('a 101 to something else than WebSocket');
      state = 'finished';
      return 'switched';
    }
    if (read.status < 200) {
      if (++interimCount > limits.interimCountMax) return reject('too many 1xx answers');
      return 'interim';
    }
    body.begin(read);
    state = 'body';
    return 'head';
  }

  /** Said at the first wrong byte: an application that speaks something else would leave the client waiting for a head. */
  function startsLikeHttp(chunk: B): boolean {
    for (let i = section.size; i < PROTOCOL.length && input.at + i - section.size < chunk.length; i++) {
      if (chunk[input.at + i - section.size] !== PROTOCOL.charCodeAt(i)) return false;
    }
    return true;
  }

  function readBody(): ResponseEvent {
    const event = body.read();
    if (event === 'fault') return reject(body.fault);
    if (event === 'data') reader.data = body.data;
    else if (event === 'end') {
      reader.trailers = body.trailers;
      state = 'unasked';
    }
    return event;
  }

  function reject(reason: string): 'rejected' {
    reader.rejection = { code: 'app_protocol', reason };
    state = 'rejected';
    return 'rejected';
  }

  const reader: Writable<ResponseReader<B>> = {
    // Each valid only after the event that announces it.
    head: undefined as unknown as ResponseHead,
    data: undefined as unknown as B,
    trailers: NO_TRAILERS,
    rejection: undefined as unknown as Rejection,
    expect(request, asksForWebSocket) {
      if (state !== 'unasked') throw new Error(`a new exchange while ${state}`);
      method = request.method;
      webSocket = asksForWebSocket;
      interimCount = 0;
      // What is here already came before the question.
      state = input.chunk === undefined ? 'head' : 'unasked';
    },
    push: (chunk) => input.push(chunk),
    endOfInput() {
      input.ended = true;
    },
    read() {
      if (input.overflowed && state !== 'finished') return reject('more input than may wait');
      switch (state) {
        case 'unasked':
          return readUnasked();
        case 'head':
          return readHead();
        case 'body':
          return readBody();
        case 'rejected':
          return 'rejected';
        case 'finished':
          throw new Error('the connection belongs to a tunnel');
      }
    },
    buffered: () => input.unread(),
    reusable: () =>
      state === 'unasked' && input.chunk === undefined && !input.ended && (reader.head === undefined || reader.head.keepAlive),
    takeRest() {
      state = 'finished';
      return input.takeRest();
    },
  };
  return reader;
}
