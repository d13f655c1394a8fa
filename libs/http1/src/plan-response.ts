import type { RequestHead, ResponseHead } from './head.ts';

/** How an answer leaves: how its body is framed for this client, and whether the connection ends after it. */
export interface Plan {
  /** `length` and `until-close`: send data as it is. `chunked`: `chunkHead`, data, `CHUNK_END`, at last `lastChunk`. */
  readonly framing: 'none' | 'length' | 'chunked' | 'until-close';
  readonly close: boolean;
  /** The Connection token to say so; '' where the version's default says it. */
  readonly connection: '' | 'close' | 'keep-alive';
}

/**
 * Decides it from both heads.
 * @param closing the caller wants the connection to end: it drains, or the request's body is not whole yet. An early answer
 *   ends the connection, because only so is the rest of the body certain never to be taken for a request.
 */
export function planResponse(request: RequestHead, response: ResponseHead, closing: boolean): Plan {
  const framing = framingFor(request, response);
  const close = closing || !request.keepAlive || framing === 'until-close';
  return { framing, close, connection: close ? 'close' : request.minor === 0 ? 'keep-alive' : '' };
}

function framingFor(request: RequestHead, response: ResponseHead): Plan['framing'] {
  if (response.framing === 'none' || response.framing === 'length') return response.framing;
  // The end of the connection is no proof that an answer is whole, so whoever knows chunks gets them.
  return request.minor === 1 ? 'chunked' : 'until-close';
}
