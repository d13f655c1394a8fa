import type { BodyEvent } from './body-reader.ts';
import type { Bytes } from './bytes.ts';
import { createChunkedReader } from './chunked.ts';
import { NO_TOKENS } from './connection-tokens.ts';
import { type FieldLines, readFieldLines } from './field-lines.ts';
import type { Fields, Head } from './head.ts';
import type { Input } from './input.ts';
import type { Limits } from './limits.ts';
import { createSection, UNFINISHED } from './section.ts';
import { keepTrailers, NO_TRAILERS } from './trailers.ts';

/** Reads bodies in chunks, each with its trailer section (RFC 9112 section 7.1). */
export interface ChunkedBody<B> {
  begin(head: Head): void;
  read(): BodyEvent;
  data: B;
  trailers: Fields;
  fault: string;
}

export function createChunkedBody<B extends Bytes<B>>(input: Input<B>, limits: Limits): ChunkedBody<B> {
  const chunks = createChunkedReader(input, limits);
  const section = createSection<B>('\r\n', limits.trailerBytesMax);
  let inTrailers = false;
  let connectionNames: ReadonlySet<string> = NO_TOKENS.names;

  const body: ChunkedBody<B> = {
    // Valid only after `read` said data.
    data: undefined as unknown as B,
    trailers: NO_TRAILERS,
    fault: '',
    begin(head) {
      chunks.begin();
      inTrailers = false;
      connectionNames = head.connectionNames;
      body.trailers = NO_TRAILERS;
    },
    read: () => (inTrailers ? readTrailers() : readChunks()),
  };

  function readChunks(): BodyEvent {
    const event = chunks.read();
    switch (event) {
      case 'data':
        body.data = chunks.data;
        return 'data';
      case 'more':
        return starved();
      case 'fault':
        return fail(chunks.fault);
      case 'last-chunk':
        inTrailers = true;
        section.begin();
        return readTrailers();
    }
  }

  function readTrailers(): BodyEvent {
    while (input.chunk !== undefined) {
      const end = section.take(input.chunk, input.at);
      if (end === UNFINISHED) {
        input.moveTo(input.chunk.length);
        continue;
      }
      if (end < 0) return fail('a trailer section that is malformed or too large');
      input.moveTo(end);
      const lines: FieldLines = { fields: [], kinds: [], seen: 0 };
      const fault = readFieldLines(section.text, 0, lines, limits.trailerCountMax);
      if (fault !== '') return fail(fault);
      body.trailers = keepTrailers(lines, connectionNames);
      return 'end';
    }
    return starved();
  }

  const starved = (): BodyEvent => (input.ended ? 'truncated' : 'more');

  function fail(fault: string): BodyEvent {
    body.fault = fault;
    return 'fault';
  }

  return body;
}
