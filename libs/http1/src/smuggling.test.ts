import { createServer } from 'node:http';
import { duplexPair } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkRequest } from './check-request.ts';
import { CHUNK_END, chunkHead, lastChunk } from './chunk-writer.ts';
import { forwardRequest } from './forward-request.ts';
import { VALUE } from './octets.ts';
import { DEFAULT_POLICY } from './policy.ts';
import { createRequestReader } from './request-reader.ts';

/** A request as one reader sees it. Framing and forwarding fields are left out: the writer sets them. */
interface Seen {
  readonly line: string;
  readonly fields: string[];
  readonly body: string;
  readonly trailers: string[];
}

const ADDED = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
]);

function interesting(fields: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < fields.length; i += 2)
    if (!ADDED.has((fields[i] ?? '').toLowerCase())) kept.push(`${fields[i]}: ${fields[i + 1]}`);
  return kept;
}

/** What the proxy would do with `input`: every whole, well-formed request is forwarded; the first bad one ends it. */
function relay(input: Buffer, policy = DEFAULT_POLICY): { seen: Seen[]; wire: string } {
  const reader = createRequestReader<Buffer>();
  reader.push(input);
  reader.endOfInput();
  const seen: Seen[] = [];
  let wire = '';
  let text = '';
  let body = '';
  while (true) {
    switch (reader.read()) {
      case 'head': {
        const checked = checkRequest(reader.head);
        if (!checked.ok || checked.value.webSocket) return { seen, wire };
        text = forwardRequest(reader.head, checked.value, { policy, port: 1, forwardedFor: '192.0.2.1' });
        body = '';
        break;
      }
      case 'data': {
        const data = reader.data.toString('latin1');
        body += data;
        text += reader.head.framing === 'chunked' ? chunkHead(data.length) + data + CHUNK_END : data;
        break;
      }
      case 'end':
        if (reader.head.framing === 'chunked') text += lastChunk(reader.trailers);
        seen.push({
          line: `${reader.head.method} ${reader.head.target}`,
          fields: interesting(reader.head.fields),
          body,
          trailers: interesting(reader.trailers),
        });
        wire += text;
        break;
      case 'more':
      case 'closed':
      case 'truncated':
      case 'rejected':
        return { seen, wire };
    }
  }
}

/** What Node's own server sees in the same bytes. */
async function seenByNode(wire: string): Promise<Seen[]> {
  const seen: Seen[] = [];
  const [ours, theirs] = duplexPair();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => (body += data.toString('latin1')));
    request.on('end', () => {
      seen.push({
        line: `${request.method} ${request.url}`,
        fields: interesting(request.rawHeaders),
        body,
        trailers: interesting(request.rawTrailers),
      });
      response.end();
    });
  });
  server.on('clientError', (error) => {
    seen.push({ line: `refused: ${error.message}`, fields: [], body: '', trailers: [] });
    theirs.destroy();
  });
  const closed = new Promise<void>((resolve) => theirs.once('close', () => resolve()));
  server.emit('connection', theirs);
  ours.resume();
  ours.end(wire, 'latin1');
  await closed;
  return seen;
}

const token = fc.constantFrom('X-A', 'x-b', 'Accept', 'Cookie', 'X_C', 'Trailer-Like', 'sec-fetch-mode');
const value = fc
  .string({ unit: fc.constantFrom('a', 'B', '1', ' ', '\t', ',', ';', '=', '"', '\xe9', ':'), maxLength: 8 })
  .map((text) => text.replace(/^[ \t]+|[ \t]+$/g, ''));
const fields = fc.array(fc.tuple(token, value), { maxLength: 4 });
const listed = (pairs: [string, string][]): string => pairs.map(([name, text]) => `${name}: ${text}\r\n`).join('');
const data = fc.string({
  unit: fc.constantFrom('a', '\r', '\n', '0', '\x00', '\xff', 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'),
  maxLength: 6,
});
const chunks = fc.array(
  data.filter((text) => text !== ''),
  { maxLength: 3 },
);

/** A request that every reader understands alike. */
const good = fc
  .tuple(
    fc.constantFrom('GET', 'POST', 'DELETE', 'HEAD', 'PUT'),
    fc.constantFrom('/', '/x?y=%20', '//a'),
    fields,
    fc.oneof(fc.constant(undefined), data, fc.tuple(chunks, fields)),
  )
  .map(([method, target, some, body]) => {
    const head = `${method} ${target} HTTP/1.1\r\nHost: h\r\n${listed(some)}`;
    if (body === undefined) return `${head}\r\n`;
    if (typeof body === 'string') return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
    const [pieces, trailers] = body;
    return `${head}Transfer-Encoding: chunked\r\n\r\n${pieces.map((piece) => `${piece.length.toString(16)};e=1\r\n${piece}\r\n`).join('')}0\r\n${listed(trailers)}\r\n`;
  });

/** What attacks are made of. */
const bad = fc.constantFrom(
  ...[
    'Content-Length: 5\r\n',
    'Content-Length: 44\r\nTransfer-Encoding: chunked\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: \x0bchunked\r\n',
    'Transfer-Encoding : chunked\r\n',
    'Content-Length: +1\r\n',
  ],
  ...[
    '\r\n',
    '\n',
    '\r',
    '\r\n\r\n',
    '0\r\n\r\n',
    ' ',
    '\x00',
    '5\r\nhello\r\n',
    '1\r\nZ\r\nQ\r\n\r\n',
    'GET /s HTTP/1.1\r\nHost: h\r\n',
    'POST /s HTTP/1.1\r\nHost: h\r\n',
    'X: \n',
    'GET /s HTTP/1.0\r\nHost: h\r\n\r\n',
    'Connection: Content-Length\r\n',
  ],
);
const input = fc
  .array(fc.oneof({ weight: 2, arbitrary: good }, { weight: 1, arbitrary: bad }), { maxLength: 6 })
  .map((pieces) => Buffer.from(pieces.join(''), 'latin1'));

test('what is forwarded is read back as exactly the requests that came in', () => {
  let count = 0;
  fc.assert(
    fc.property(input, (bytes) => {
      const first = relay(bytes);
      const second = relay(Buffer.from(first.wire, 'latin1'));
      count += first.seen.length;
      expect(second.seen).toEqual(first.seen);
      // Forwarding what was forwarded changes nothing more: there is one spelling of each request.
      expect(second.wire).toBe(first.wire);
    }),
    { numRuns: 3_000 },
  );
  expect(count).toBeGreaterThan(3_000);
});

test('Node’s parser sees exactly the same requests in what is forwarded', async () => {
  await fc.assert(
    fc.asyncProperty(input, async (bytes) => {
      const { seen, wire } = relay(bytes);
      expect(await seenByNode(wire)).toEqual(seen);
    }),
    { numRuns: 400 },
  );
});

test('every forwarded head has one Host, at most one framing field and no control byte', () => {
  fc.assert(
    fc.property(input, (bytes) => {
      const reader = createRequestReader<Buffer>();
      reader.push(bytes);
      while (true) {
        const event = reader.read();
        if (event === 'more' || event === 'rejected') return;
        if (event !== 'head') continue;
        const checked = checkRequest(reader.head);
        if (!checked.ok) return;
        const lines = forwardRequest(reader.head, checked.value, {
          policy: DEFAULT_POLICY,
          port: 1,
          forwardedFor: '192.0.2.1',
        }).split('\r\n');
        expect(lines.filter((line) => /^host:/i.test(line))).toHaveLength(1);
        expect(lines.filter((line) => /^(content-length: [0-9]+|transfer-encoding: chunked)$/i.test(line)).length).toBe(
          lines.filter((line) => /^(content-length|transfer-encoding)/i.test(line)).length,
        );
        expect(lines.filter((line) => /^(content-length|transfer-encoding):/i.test(line)).length).toBeLessThan(2);
        expect(Array.from(lines.join(''), (character) => VALUE[character.charCodeAt(0)])).not.toContain(0);
      }
    }),
    { numRuns: 1_000 },
  );
});
