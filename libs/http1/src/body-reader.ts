import type { Bytes } from './bytes.ts';
import { createChunkedReader } from './chunked.ts';
import { NO_TOKENS } from './connection-tokens.ts';
import { type FieldLines, readFieldLines } from './field-lines.ts';
import type { Fields, Head } from './head.ts';
import type { Input } from './input.ts';
import type { Limits } from './limits.ts';
import { createSection, UNFINISHED } from './section.ts';
import { keepTrailers, NO_TRAILERS } from './trailers.ts';

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
  const chunked = createChunkedReader(input, limits);
  const section = createSection<B>('\r\n', limits.trailerBytesMax);
  let framing: Head['framing'] = 'none';
  let left = 0;
  let inTrailers = false;
  let connectionNames: ReadonlySet<string> = NO_TOKENS.names;

  const body: BodyReader<B> = {
    // Valid only after `read` said data.
    data: undefined as unknown as B,
    trailers: NO_TRAILERS,
    fault: '',
    begin(head) {
      framing = head.framing;
      left = head.length;
      connectionNames = head.connectionNames;
      inTrailers = false;
      body.trailers = NO_TRAILERS;
      if (framing === 'chunked') chunked.begin();
    },
    read() {
      switch (framing) {
        case 'none':
          return 'end';
        case 'length':
          if (left === 0) return 'end';
          if (input.chunk === undefined) return starved();
          body.data = input.view(left);
          left -= body.data.length;
          return 'data';
        case 'until-close':
          if (input.chunk === undefined) return input.ended ? 'end' : 'more';
          body.data = input.view(input.chunk.length);
          return 'data';
        case 'chunked':
          return inTrailers ? readTrailers() : readChunked();
      }
    },
  };

  function readChunked(): BodyEvent {
    const event = chunked.read();
    switch (event) {
      case 'data':
        body.data = chunked.data;
        return 'data';
      case 'more':
        return starved();
      case 'fault':
        return fail(chunked.fault);
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
