import { Socket } from 'node:net';
import { createRequestReader, parseHost, writePlainHttpAnswer } from '@sallyport/http1';
import { parseProxyHeader } from './proxy-protocol.ts';

/** What a connection opens with. */
export type Opening =
  /** A ClientHello, put back into the socket. */
  | { readonly kind: 'tls'; readonly proxy: boolean; readonly source?: string }
  /** HTTP without TLS, put back too. */
  | { readonly kind: 'plain-http' }
  | { readonly kind: 'proxy-bad'; readonly reason: string }
  | { readonly kind: 'other' };

const HANDSHAKE_RECORD = 0x16;
/** A TLS socket of Node begins with a buffer of 1,024 bytes, and adds one of 16 KiB for as long as it lives once that is full. */
const PIECE_BYTES_MAX = 1_000;
const isUpperCase = (byte: number): boolean => byte >= 0x41 && byte <= 0x5a;

/** Looks at the first bytes of an accepted connection, once, before TLS takes it over. Never calls back if it closes first. */
export function readOpening(socket: Socket, onOpening: (opening: Opening) => void): void {
  let proxy = false;
  /** Of a PROXY header. Not put back: the socket would tell of it again in the same turn, and for ever. */
  let begun: Buffer | undefined;
  let source: string | undefined;

  function settle(opening: Opening, rest: Buffer) {
    socket.removeListener('readable', onReadable);
    if (rest.length > 0) socket.unshift(rest);
    if (opening.kind === 'tls' && rest.length > PIECE_BYTES_MAX) socket.read = readPiece;
    onOpening(opening);
  }

  function onReadable() {
    const read: Buffer | null = socket.read();
    if (read === null) return;
    const bytes = begun === undefined ? read : Buffer.concat([begun, read]);
    begun = undefined;
    let rest = bytes;
    if (!proxy) {
      const header = parseProxyHeader(bytes);
      if (header.kind === 'bad') return settle({ kind: 'proxy-bad', reason: header.reason }, bytes);
      if (header.kind === 'more') {
        begun = bytes;
        return;
      }
      if (header.kind === 'header') {
        proxy = true;
        source = header.source;
        rest = bytes.subarray(header.length);
      }
    }
    const first = rest[0];
    if (first === undefined) return;
    if (first === HANDSHAKE_RECORD) settle({ kind: 'tls', proxy, ...(source === undefined ? {} : { source }) }, rest);
    else settle({ kind: isUpperCase(first) ? 'plain-http' : 'other' }, rest);
  }

  socket.on('readable', onReadable);
}

/** TLS takes what was put back by `read` until there is nothing: a hello with a post-quantum key is larger than its first buffer. */
function readPiece(this: Socket, size?: number): Buffer | null {
  const piece = size === undefined && this.readableLength > PIECE_BYTES_MAX ? PIECE_BYTES_MAX : size;
  return Socket.prototype.read.call(this, piece);
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
