import type { Bytes } from './bytes.ts';
import { type ChunkedBody, createChunkedBody } from './chunked-body.ts';
import type { Fields, Head } from './head.ts';
import type { Input } from './input.ts';
import type { Limits } from './limits.ts';
import { NO_TRAILERS } from './trailers.ts';

export type BodyEvent = 'data' | 'end' | 'more' | 'truncated' | 'fault';

/** Reads one body after another from the input, each framed as its head says. */
export interface BodyReader<B> {
  begin(head: Head): void;
  read(): BodyEvent;
  data: B;
  trailers: Fields;
  fault: string;
}

export function createBodyReader<B extends Bytes<B>>(input: Input<B>, limits: Limits): BodyReader<B> {
  /** Made for the first body in chunks: most connections never carry one. */
  let chunked: ChunkedBody<B> | undefined;
  let framing: Head['framing'] = 'none';
  let left = 0;

  const body: BodyReader<B> = {
    // Valid only after `read` said data.
    data: undefined as unknown as B,
    trailers: NO_TRAILERS,
    fault: '',
    begin(head) {
      framing = head.framing;
      left = head.length;
      body.trailers = NO_TRAILERS;
      if (framing !== 'chunked') return;
      chunked ??= createChunkedBody(input, limits);
      chunked.begin(head);
    },
    read() {
      switch (framing) {
        case 'none':
          return 'end';
        case 'length':
          if (left === 0) return 'end';
          if (input.chunk === undefined) return input.ended ? 'truncated' : 'more';
          body.data = input.view(left);
          left -= body.data.length;
          return 'data';
        case 'until-close':
          if (input.chunk === undefined) return input.ended ? 'end' : 'more';
          body.data = input.view(input.chunk.length);
          return 'data';
        case 'chunked':
          return readChunked(chunked as ChunkedBody<B>);
      }
    },
  };

  function readChunked(from: ChunkedBody<B>): BodyEvent {
    const event = from.read();
    if (event === 'data') body.data = from.data;
    else if (event === 'end') body.trailers = from.trailers;
    else if (event === 'fault') body.fault = from.fault;
    return event;
  }

  return body;
}
