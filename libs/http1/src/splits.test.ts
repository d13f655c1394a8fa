import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRequestReader } from './request-reader.ts';
import { createResponseReader } from './response-reader.ts';
import { transcribe } from './testing/transcript.ts';

/** Pieces of requests, good and bad, that join into anything from a clean pipeline to nonsense. */
const requestPieces = [
  ...[
    'GET /a HTTP/1.1\r\nHost: h\r\n',
    'POST /b HTTP/1.1\r\nHost: h\r\n',
    'HEAD /c HTTP/1.0\r\nHost: h\r\n',
    'OPTIONS * HTTP/1.1\r\n',
    'PRI * HTTP/2.0\r\n',
  ],
  ...[
    'Content-Length: 5\r\n',
    'Content-Length: 0\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: gzip, chunked\r\n',
    'Content-Length : 5\r\n',
    'Connection: close\r\n',
  ],
  ...[
    'Host: h\r\n',
    'Connection: Upgrade, X\r\nUpgrade: websocket\r\n',
    'X: 1\r\n',
    'X-Forwarded-For: 6.6.6.6\r\n',
    'Expect: 100-continue\r\n',
    ' folded\r\n',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n',
  ],
  ...[
    '\r\n',
    '\r\n',
    '\r\n\r\n',
    'hello',
    '5\r\nhello\r\n',
    'A;x=y\r\n0123456789\r\n',
    '0\r\n\r\n',
    '0\r\nX: 1\r\nHost: evil\r\n\r\n',
    '\n',
    '\r',
    ' ',
    '\t',
    '\x00',
    '\xa0',
    ':',
    '5 \r\n',
    '0x5\r\n',
  ],
];
const requests = fc.array(fc.constantFrom(...requestPieces), { maxLength: 14 }).map((pieces) => pieces.join(''));
const responsePieces = [
  ...[
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.0 200 OK\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 103 E\r\nLink: a\r\n\r\n',
    'HTTP/1.1 204 N\r\n',
    'HTTP/1.1 304 N\r\n',
    'HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  ],
  ...requestPieces.slice(5),
];
const responses = fc.array(fc.constantFrom(...responsePieces), { maxLength: 12 }).map((pieces) => pieces.join(''));
const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 8 });

function cut(text: string, at: number[]): Buffer[] {
  const bounds = [0, ...at.filter((position) => position < text.length).sort((a, b) => a - b), text.length];
  return bounds.slice(1).map((end, i) => Buffer.from(text.slice(bounds[i], end), 'latin1'));
}
/** Which of several faults is named first may depend on the cut; that there is one, and what came before it, may not. */
const plain = (lines: string[]): string[] => lines.map((line) => line.replace(/^rejected .*/, 'rejected'));

const runs = { numRuns: 3_000 };

test('requests: any cut of the input gives the same events', () => {
  fc.assert(
    fc.property(requests, cuts, (text, at) => {
      const whole = transcribe(createRequestReader<Buffer>(), cut(text, []));
      expect(plain(transcribe(createRequestReader<Buffer>(), cut(text, at)))).toEqual(plain(whole));
    }),
    runs,
  );
});

test('responses: any cut of the input gives the same events', () => {
  const read = (chunks: Buffer[], method: string, webSocket: boolean): string[] => {
    const reader = createResponseReader<Buffer>();
    reader.expect({ method }, webSocket);
    return plain(transcribe(reader, chunks));
  };
  fc.assert(
    fc.property(responses, cuts, fc.constantFrom('GET', 'HEAD'), fc.boolean(), (text, at, method, webSocket) => {
      expect(read(cut(text, at), method, webSocket)).toEqual(read(cut(text, []), method, webSocket));
    }),
    runs,
  );
});

test('a pipeline byte by byte is what it is in one piece', () => {
  const text =
    'POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX: 1\r\n\r\n\r\nGET /a HTTP/1.1\r\nHost: h\r\n\r\n';
  const bytes = Array.from(text, (character) => Buffer.from(character, 'latin1'));
  expect(transcribe(createRequestReader<Buffer>(), bytes)).toEqual(
    transcribe(createRequestReader<Buffer>(), [Buffer.from(text, 'latin1')]),
  );
  expect(transcribe(createRequestReader<Buffer>(), bytes)).toHaveLength(6);
});

test('any bytes at all are read without a throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
      expect(transcribe(createRequestReader<Buffer>(), [Buffer.from(noise)]).at(-1)).toMatch(/^(closed|truncated|rejected .*)$/);
    }),
    runs,
  );
});
