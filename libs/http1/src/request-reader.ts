import type { Bytes } from './bytes.ts';
import type { Rejection } from './codes.ts';
import type { Fields, RequestHead } from './head.ts';
import type { Limits } from './limits.ts';

/**
 * What `read` found:
 * - `head`: `reader.head` is a new head, well-formed and framed, but not yet checked (`checkRequest`).
 * - `data`: `reader.data` is the next piece of the body: a view of a pushed chunk, never empty, chunk framing removed.
 * - `end`: the request is whole; `reader.trailers` has its trailer fields (usually none). Always follows a head, also
 *   when there is no body. The next `read` begins the next request: do not call it before you want that.
 * - `more`: nothing can be said without more input.
 * - `closed`: the input ended between two requests.
 * - `truncated`: the input ended inside a request.
 * - `rejected`: see `reader.rejection`; the reader is dead and answers `rejected` for ever.
 */
export type RequestEvent = 'head' | 'data' | 'end' | 'more' | 'closed' | 'truncated' | 'rejected';

/** Reads requests from one client connection. Payloads are properties, valid until the next `read`: no allocation a piece. */
export interface RequestReader<B> {
  /** Hands in what came. The answer false asks to stop reading the socket until `read` says `more` again. */
  push(chunk: B): boolean;
  /** The peer will send no more. What was pushed is still read first. */
  endOfInput(): void;
  read(): RequestEvent;
  readonly head: RequestHead;
  readonly data: B;
  readonly trailers: Fields;
  readonly rejection: Rejection;
  /** Bytes pushed and not yet read: pipelined requests, or the first bytes of a tunnel. */
  readonly buffered: number;
  /** A head has begun to arrive and is not whole: the time for a head runs. False on an idle connection. */
  readonly inHead: boolean;
  /** All unread bytes, in order, for a tunnel. The reader is finished after this. */
  takeRest(): B[];
}

export function createRequestReader<B extends Bytes<B>>(_limits?: Limits): RequestReader<B> {
  throw new Error('not built yet');
}
