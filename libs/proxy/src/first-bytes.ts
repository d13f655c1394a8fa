import { Socket } from 'node:net';
import { createRequestReader, parseHost, writePlainHttpAnswer } from '@sallyport/http1';
import { ALERT_OF_REFUSAL, type Alert, alertRecord, createHelloReader, type HelloReader } from '@sallyport/tls-hello';
import { parseProxyHeader } from './proxy-protocol.ts';

/** What a connection opens with. */
export type Opening =
  /** A ClientHello, put back into the socket, with the name as sent. `source` is what a PROXY header in front of it states. */
  | { readonly kind: 'hello'; readonly serverName: string; readonly proxy: boolean; readonly source?: string }
  /** TLS, and nothing that can be served; what to answer with. */
  | { readonly kind: 'hello-bad'; readonly alert: Alert | undefined; readonly nameless: boolean }
  /** HTTP without TLS, put back too. */
  | { readonly kind: 'plain-http' }
  | { readonly kind: 'proxy-bad'; readonly reason: string }
  | { readonly kind: 'other' };

const HANDSHAKE_RECORD = 0x16;
/** A TLS socket of Node begins with a buffer of 1,024 bytes, and adds one of 16 KiB for as long as it lives once that is full. */
const PIECE_BYTES_MAX = 1_000;
/** Held before they are copied together: a client that sends byte by byte would else cost a hundred bytes for each, or a copy of all. */
const PIECES_MAX = 64;
const isUpperCase = (byte: number): boolean => byte >= 0x41 && byte <= 0x5a;

/** Looks at the first bytes of an accepted connection, before TLS takes it over. Never calls back if it closes first. */
export function readOpening(socket: Socket, onOpening: (opening: Opening) => void): void {
  let proxy = false;
  let source: string | undefined;
  /** Of a PROXY header or a hello. Not put back: the socket would tell of it again in the same turn, and for ever. */
  let held: Buffer[] = [];
  let hello: HelloReader | undefined;

  function settle(opening: Opening, rest: Buffer) {
    socket.removeListener('readable', onReadable);
    if (rest.length > 0) socket.unshift(rest);
    if (opening.kind === 'hello' && rest.length > PIECE_BYTES_MAX) socket.read = readPiece;
    onOpening(opening);
  }

  function onReadable() {
    const read: Buffer | null = socket.read();
    if (read === null) return;
    if (hello !== undefined) return readHello(hello, read);
    let rest = whole(read);
    if (!proxy) {
      const header = parseProxyHeader(rest);
      if (header.kind === 'bad') return settle({ kind: 'proxy-bad', reason: header.reason }, rest);
      if (header.kind === 'more') return hold(rest);
      if (header.kind === 'header') {
        proxy = true;
        source = header.source;
        rest = rest.subarray(header.length);
      }
    }
    const first = rest[0];
    if (first === undefined) return;
    if (first !== HANDSHAKE_RECORD) return settle({ kind: isUpperCase(first) ? 'plain-http' : 'other' }, rest);
    hello = createHelloReader();
    readHello(hello, rest);
  }

  function readHello(reader: HelloReader, next: Buffer) {
    const said = reader.push(next);
    if (said.kind === 'more') return hold(next);
    if (said.kind === 'hello')
      return settle(
        { kind: 'hello', serverName: said.serverName, proxy, ...(source === undefined ? {} : { source }) },
        whole(next),
      );
    const nameless = said.reason === 'no-server-name' || said.reason === 'server-name-bad';
    settle({ kind: 'hello-bad', alert: ALERT_OF_REFUSAL[said.reason], nameless }, whole(next));
  }

  function hold(piece: Buffer): void {
    held.push(piece);
    if (held.length === PIECES_MAX) held = [Buffer.concat(held)];
  }

  function whole(last: Buffer): Buffer {
    const all = held.length === 0 ? last : Buffer.concat([...held, last]);
    held = [];
    return all;
  }

  socket.on('readable', onReadable);
}

/** TLS takes what was put back by `read` until there is nothing: a hello with a post-quantum key is larger than its first buffer. */
function readPiece(this: Socket, size?: number): Buffer | null {
  const piece = size === undefined && this.readableLength > PIECE_BYTES_MAX ? PIECE_BYTES_MAX : size;
  return Socket.prototype.read.call(this, piece);
}

/** Ends a connection by an alert, before any handshake. What still comes is dropped, so that the client reads it instead of a reset. */
export function answerAlert(socket: Socket, alert: Alert): void {
  socket.end(alertRecord(alert));
  socket.resume();
}

/** Tells a client that forgot TLS where to go, once its head is here. One answer, then the end. */
export function answerPlainHttp(socket: Socket): void {
  const requests = createRequestReader<Buffer>();
  let answered = false;
  const answer = (host: string): void => {
    answered = true;
    socket.end(writePlainHttpAnswer(host), 'latin1');
  };
  socket.on('data', (chunk: Buffer) => {
    // What comes after the answer is dropped, so that the client reads it instead of a reset.
    if (answered) return;
    requests.push(chunk);
    const event = requests.read();
    if (event === 'rejected') answer('');
    if (event !== 'head') return;
    const { fields } = requests.head;
    const at = fields.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
    answer(parseHost(fields[at + 1] ?? '') === undefined ? '' : (fields[at + 1] ?? ''));
  });
  socket.on('end', () => socket.destroySoon());
}
