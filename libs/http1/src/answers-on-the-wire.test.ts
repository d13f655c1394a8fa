import { request as nodeRequest } from 'node:http';
import { duplexPair } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CHUNK_END, chunkHead, lastChunk } from './chunk-writer.ts';
import { forwardInterim, forwardResponse } from './forward-response.ts';
import type { RequestHead } from './head.ts';
import { type Plan, planResponse } from './plan-response.ts';
import { DEFAULT_POLICY } from './policy.ts';
import { readRequestHead } from './read-head.ts';
import { createResponseReader } from './response-reader.ts';

/** An answer as one reader sees it, without the fields that belong to a connection. */
interface Seen {
  readonly interim: number[];
  readonly status: number;
  readonly fields: string[];
  readonly body: string;
  readonly trailers: string[];
}

const OF_CONNECTION = new Set(['transfer-encoding', 'connection', 'content-length']);
function interesting(fields: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < fields.length; i += 2)
    if (!OF_CONNECTION.has((fields[i] ?? '').toLowerCase())) kept.push(`${fields[i]}: ${fields[i + 1]}`);
  return kept;
}

function asked(method: string): RequestHead {
  const head = readRequestHead(`${method} / HTTP/1.1\r\nHost: h\r\n\r\n`, 10);
  if ('code' in head) throw new Error(head.reason);
  return head;
}

/** What the proxy would pass on of `input`; undefined where that is not a whole answer. `surplus`: how much came behind it. */
function relay(input: Buffer, request: RequestHead): { seen: Seen; wire: string; surplus: number } | undefined {
  const reader = createResponseReader<Buffer>();
  reader.expect(request, false);
  reader.push(input);
  reader.endOfInput();
  const interim: number[] = [];
  let wire = '';
  let body = '';
  let plan: Plan | undefined;
  while (true) {
    switch (reader.read()) {
      case 'interim':
        interim.push(reader.head.status);
        wire += forwardInterim(reader.head, { ...request, expectsContinue: true });
        break;
      case 'head':
        plan = planResponse(request, reader.head, false);
        wire += forwardResponse(reader.head, plan, 'h', DEFAULT_POLICY);
        break;
      case 'data': {
        const data = reader.data.toString('latin1');
        body += data;
        wire += plan?.framing === 'chunked' ? chunkHead(data.length) + data + CHUNK_END : data;
        break;
      }
      case 'end':
        if (plan?.framing === 'chunked') wire += lastChunk(reader.trailers);
        return {
          seen: {
            interim,
            status: reader.head.status,
            fields: interesting(reader.head.fields),
            body,
            trailers: interesting(reader.trailers),
          },
          wire,
          surplus: reader.buffered(),
        };
      case 'switched':
      case 'more':
      case 'closed':
      case 'truncated':
      case 'rejected':
        return undefined;
    }
  }
}

/** What Node's own client sees in the same bytes. */
function seenByNode(wire: string, method: string): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const [ours, theirs] = duplexPair();
    const interim: number[] = [];
    const client = nodeRequest({ method, createConnection: () => theirs as never, host: 'h' });
    client.on('information', ({ statusCode }) => interim.push(statusCode));
    client.on('error', reject);
    client.on('response', (response) => {
      let body = '';
      response.on('data', (data: Buffer) => (body += data.toString('latin1')));
      response.on('end', () => {
        if (!response.complete) return reject(new Error('unfinished'));
        resolve({
          interim,
          status: response.statusCode ?? 0,
          fields: interesting(response.rawHeaders),
          body,
          trailers: interesting(response.rawTrailers),
        });
        theirs.destroy();
      });
    });
    client.end();
    ours.resume();
    ours.end(wire, 'latin1');
  });
}

const value = fc
  .string({ unit: fc.constantFrom('a', '1', ' ', '\t', ',', ';', '\xe9', ':'), maxLength: 6 })
  .map((text) => text.replace(/^[ \t]+|[ \t]+$/g, ''));
const fields = fc.array(fc.tuple(fc.constantFrom('X-A', 'x-b', 'ETag', 'X_C', 'Server'), value), { maxLength: 4 });
const listed = (pairs: [string, string][]): string => pairs.map(([name, text]) => `${name}: ${text}\r\n`).join('');
const data = fc.string({ unit: fc.constantFrom('a', '\r', '\n', '0', '\x00', '\xff', 'HTTP/1.1 200 OK\r\n\r\n'), maxLength: 6 });
const statusLine = fc.constantFrom(
  'HTTP/1.1 200 OK',
  'HTTP/1.1 404 Not Found',
  'HTTP/1.1 299 ',
  'HTTP/1.1 204 No Content',
  'HTTP/1.1 304 Not Modified',
  'HTTP/1.0 200 OK',
);
const early = fc.constantFrom('', '', 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n', 'HTTP/1.1 102 Processing\r\n\r\n');
const body = fc.oneof(
  data.map((text) => `Content-Length: ${text.length}\r\n\r\n${text}`),
  data.map((text) => `\r\n${text}`),
  fc
    .tuple(
      fc.array(
        data.filter((text) => text !== ''),
        { maxLength: 3 },
      ),
      fields,
    )
    .map(
      ([pieces, trailers]) =>
        `Transfer-Encoding: chunked\r\n\r\n${pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')}0\r\n${listed(trailers)}\r\n`,
    ),
  fc.constantFrom(
    'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'Transfer-Encoding: x\r\n\r\n',
    'Content-Length: 1, 1\r\n\r\na',
    '\n\n',
    'Transfer-Encoding: chunked\r\n\r\n5\r\nhel',
  ),
);
const input = fc
  .tuple(early, statusLine, fields, body)
  .map(([before, line, some, rest]) => Buffer.from(`${before}${line}\r\n${listed(some)}${rest}`, 'latin1'));
const method = fc.constantFrom('GET', 'GET', 'HEAD', 'POST');

test('what is passed on is read back as exactly the answer that came in', () => {
  let count = 0;
  fc.assert(
    fc.property(input, method, (bytes, by) => {
      const request = asked(by);
      const first = relay(bytes, request);
      if (first === undefined) return;
      count++;
      const second = relay(Buffer.from(first.wire, 'latin1'), request);
      expect(second?.seen).toEqual(first.seen);
      expect(second?.wire).toBe(first.wire);
      expect(second?.surplus).toBe(0);
    }),
    { numRuns: 3_000 },
  );
  expect(count).toBeGreaterThan(1_000);
});

test('Node’s parser sees exactly the same answer in what is passed on', async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(input, method, async (bytes, by) => {
      const passed = relay(bytes, asked(by));
      if (passed === undefined) return;
      count++;
      expect(await seenByNode(passed.wire, by)).toEqual(passed.seen);
    }),
    { numRuns: 400 },
  );
  expect(count).toBeGreaterThan(100);
});
