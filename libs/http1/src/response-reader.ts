import type { Bytes } from './bytes.ts';
import type { Rejection } from './codes.ts';
import type { Fields, RequestHead, ResponseHead } from './head.ts';
import type { Limits } from './limits.ts';

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
  readonly buffered: number;
  /**
   * The answer is whole, the application lets the connection live and nothing came behind it. The caller adds what only it
   * knows: that the request was sent whole and that the socket is still open in both directions.
   */
  readonly reusable: boolean;
  takeRest(): B[];
}

export function createResponseReader<B extends Bytes<B>>(_limits?: Limits): ResponseReader<B> {
  throw new Error('not built yet');
}
