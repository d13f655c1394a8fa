import type { RequestHead, ResponseHead } from './head.ts';

/** How an answer leaves: how its body is framed for this client, and whether the connection ends after it. */
export interface Plan {
  /** `length` and `until-close`: send data as it is. `chunked`: `chunkHead`, data, `CHUNK_END`, at last `lastChunk`. */
  readonly framing: 'none' | 'length' | 'chunked' | 'until-close';
  readonly close: boolean;
}

/**
 * Decides it from both heads.
 * @param closing the caller wants the connection to end: it drains, or the request's body is not whole yet. An early answer
 *   ends the connection, because only so is the rest of the body certain never to be taken for a request.
 */
export function planResponse(_request: RequestHead, _response: ResponseHead, _closing: boolean): Plan {
  throw new Error('not built yet');
}
