import { createBodyReader } from './body-reader.ts';
import type { Bytes } from './bytes.ts';
import type { Rejection } from './codes.ts';
import type { Fields, RequestHead } from './head.ts';
import { createInput } from './input.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { CR, LF } from './octets.ts';
import { readRequestHead } from './read-head.ts';
import { createSection, TOO_LARGE, UNFINISHED } from './section.ts';
import { NO_TRAILERS } from './trailers.ts';
import type { Writable } from './writable.ts';

/**
 * What `read` found:
 * - `head`: `reader.head` is a new head, well-formed and framed, but not yet checked (`checkRequest`).
 * - `data`: `reader.data` is the next piece of the body: a view of a pushed chunk, never empty, chunk framing removed.
 * - `end`: the request is whole; `reader.trailers` has its trailer fields that may go on (usually none). Always follows a
 *   head, also when there is no body. The next `read` begins the next request: do not call it before you want that.
 * - `more`: nothing can be said without more input.
 * - `closed`: the input ended between two requests.
 * - `truncated`: the input ended inside a request.
 * - `rejected`: see `reader.rejection`; the reader is dead and answers `rejected` for ever.
 */
export type RequestEvent = 'head' | 'data' | 'end' | 'more' | 'closed' | 'truncated' | 'rejected';

/**
 * Reads requests from one client connection. Payloads are properties, valid until the next `read`: no allocation a piece. They are plain
 * ones, since an object made with getters is slow to make and to use.
 */
export interface RequestReader<B> {
  /** Hands in what came. The answer false asks to stop reading the socket until `read` says `more` again. */
  push(chunk: B): boolean;
  /** The chunk pushed last was only lent, with nothing unread before it: `copy` makes what is still unread the reader's own. */
  own(copy: (lent: B) => B): void;
  /** The peer will send no more. What was pushed is still read first. */
  endOfInput(): void;
  read(): RequestEvent;
  readonly head: RequestHead;
  readonly data: B;
  readonly trailers: Fields;
  readonly rejection: Rejection;
  /** Bytes pushed and not yet read: pipelined requests, or the first bytes of a tunnel. */
  buffered(): number;
  /** A head has begun to arrive and is not whole: the time for a head runs. False on an idle connection. */
  inHead(): boolean;
  /** The head that is arriving, or was refused unread, is one of HEAD: the answer to it has no body. */
  asksHead(): boolean;
  /** All unread bytes, in order, for a tunnel. The reader is finished after this. */
  takeRest(): B[];
}

/** Two empty lines before a request line are ignored (RFC 9112 section 2.2): old clients send one after a body. */
const EMPTY_LINE_BYTES_MAX = 4;

export function createRequestReader<B extends Bytes<B>>(limits: Limits = DEFAULT_LIMITS): RequestReader<B> {
  const input = createInput<B>(limits);
  const section = createSection<B>('', limits.headBytesMax);
  const body = createBodyReader(input, limits);
  let state: 'head' | 'body' | 'finished' | 'rejected' = 'head';
  let emptyLineBytes = 0;

  function readHead(): RequestEvent {
    while (input.chunk !== undefined) {
      if (section.size === 0 && !skipEmptyLines())
        return reject({ code: 'bad_request', reason: 'a bare CR before the request line' });
      if (input.chunk === undefined) break;
      const end = section.take(input.chunk, input.at);
      if (end === UNFINISHED) {
        input.moveTo(input.chunk.length);
        continue;
      }
      if (end === TOO_LARGE) return reject({ code: 'headers_too_large', reason: 'a head of too many bytes' });
      if (end < 0) return reject({ code: 'bad_request', reason: 'a control byte, a bare CR or a bare LF in the head' });
      input.moveTo(end);
      const read = readRequestHead(section.text, limits.fieldCountMax);
      if ('code' in read) return reject(read);
      section.begin();
      emptyLineBytes = 0;
      reader.head = read;
      body.begin(read);
      state = 'body';
      return 'head';
    }
    if (!input.ended) return 'more';
    return section.size === 0 ? 'closed' : 'truncated';
  }

  /** @returns false for a CR that no LF follows */
  function skipEmptyLines(): boolean {
    while (input.chunk !== undefined && emptyLineBytes < EMPTY_LINE_BYTES_MAX) {
      const octet = input.chunk[input.at];
      if (emptyLineBytes % 2 === 0 && octet !== CR) return true;
      if (emptyLineBytes % 2 === 1 && octet !== LF) return false;
      emptyLineBytes++;
      input.moveTo(input.at + 1);
    }
    return true;
  }

  function readBody(): RequestEvent {
    const event = body.read();
    if (event === 'fault') return reject({ code: 'bad_request', reason: body.fault });
    if (event === 'data') reader.data = body.data;
    else if (event === 'end') {
      reader.trailers = body.trailers;
      state = 'head';
    }
    return event;
  }

  function reject(why: Rejection): 'rejected' {
    reader.rejection = why;
    state = 'rejected';
    return 'rejected';
  }

  const reader: Writable<RequestReader<B>> = {
    // Each valid only after the event that announces it.
    head: undefined as unknown as RequestHead,
    data: undefined as unknown as B,
    trailers: NO_TRAILERS,
    rejection: undefined as unknown as Rejection,
    push: (chunk) => input.push(chunk),
    own: (copy) => input.own(copy),
    endOfInput() {
      input.ended = true;
    },
    read() {
      if (input.overflowed && state !== 'finished') return reject({ code: 'bad_request', reason: 'more input than may wait' });
      switch (state) {
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
    inHead: () => state === 'head' && (section.size > 0 || input.unread() > 0),
    asksHead: () => section.startsWith('HEAD '),
    takeRest() {
      state = 'finished';
      return input.takeRest();
    },
  };
  return reader;
}
