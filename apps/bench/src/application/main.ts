// The application behind every proxy: raw sockets, so that it costs the same for all of them and as little as can be.
import { createServer, type Socket } from 'node:net';
import { acceptOf, createEcho } from './echo.ts';

const MEBIBYTE = 1_024 * 1_024;
const PIECE = Buffer.alloc(64 * 1_024, 'x');
const SMALL = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 40\r\n\r\n${'x'.repeat(40)}`);
const EVENTS_HEAD =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n';
/** A first comment, as servers of events send it: Node's own HTTP keeps a head back until there is a body, and so do proxies on it. */
const FIRST = ': here\n\n';
const EVENT_TEXT = `data: ${'x'.repeat(55)}~\n\n`;
const EVENT = Buffer.from(`${EVENT_TEXT.length.toString(16)}\r\n${EVENT_TEXT}\r\n`);

const readers = new Set<Socket>();

function serve(socket: Socket): void {
  let head = '';
  let bodyLeft = 0;
  /** Of a body in chunks: where its end is looked for. */
  let inChunks = false;
  let tail = '';

  function onData(chunk: Buffer): void {
    if (bodyLeft > 0) {
      bodyLeft -= chunk.length;
      if (bodyLeft === 0) socket.write(SMALL);
      return;
    }
    const text = chunk.toString('latin1');
    if (inChunks) return readChunks(text);
    head = head === '' ? text : head + text;
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    const [asked, rest] = [head.slice(0, end), head.slice(end + 4)];
    head = '';
    answer(asked, rest);
  }

  /** No proxy sends a second request before it has the answer to the first. */
  function answer(asked: string, rest: string): void {
    const path = asked.slice(asked.indexOf(' ') + 1, asked.indexOf(' HTTP'));
    const length = Number(/^content-length: *(\d+)/im.exec(asked)?.[1] ?? 0);
    if (length > rest.length) bodyLeft = length - rest.length;
    else if (/^transfer-encoding: *chunked/im.test(asked)) {
      inChunks = true;
      tail = '';
      readChunks(rest);
    } else if (path.startsWith('/bytes/')) sendBytes(Number(path.slice('/bytes/'.length)) * MEBIBYTE);
    else if (path === '/echo') openEcho(asked);
    else if (path === '/events') addReader();
    else if (path === '/broadcast') broadcast();
    else socket.write(SMALL);
  }

  function readChunks(text: string): void {
    tail = (tail + text).slice(-5);
    if (tail !== '0\r\n\r\n') return;
    inChunks = false;
    socket.write(SMALL);
  }

  function sendBytes(count: number): void {
    let left = count;
    socket.write(`HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: ${count}\r\n\r\n`);
    const more = (): void => {
      for (let roomy = true; roomy && left > 0; ) {
        const piece = left < PIECE.length ? PIECE.subarray(0, left) : PIECE;
        left -= piece.length;
        roomy = socket.write(piece);
      }
      if (left === 0) socket.removeListener('drain', more);
    };
    socket.on('drain', more);
    more();
  }

  function openEcho(asked: string): void {
    const key = /^sec-websocket-key: *(\S+)/im.exec(asked)?.[1] ?? '';
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${acceptOf(key)}\r\n\r\n`,
    );
    socket.removeListener('data', onData);
    const echo = createEcho((part) => {
      if (!socket.write(part)) socket.pause();
    });
    socket.on('data', echo);
    socket.on('drain', () => socket.resume());
  }

  function addReader(): void {
    readers.add(socket);
    socket.write(`${EVENTS_HEAD}${FIRST.length.toString(16)}\r\n${FIRST}\r\n`);
  }

  function broadcast(): void {
    for (const reader of readers) reader.write(EVENT);
    socket.write(SMALL);
  }

  socket.on('data', onData);
  socket.on('error', () => {});
  socket.on('end', () => socket.end());
  socket.on('close', () => readers.delete(socket));
}

const server = createServer({ noDelay: true }, serve);
server.listen({ host: '127.0.0.1', port: 0, backlog: 4_096 }, () => process.send?.(server.address()));
process.on('disconnect', () => process.exit(0));
