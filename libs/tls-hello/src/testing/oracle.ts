/**
 * What the first bytes of a connection mean, told a second time and otherwise: all bytes at once, as vectors inside of vectors
 * just as RFC 8446 writes them, with an exception where one does not fit. It shares no line with the reader.
 */
export function meaningOf(bytes: Uint8Array, bytesMax: number): string {
  const seen = [...bytes.subarray(0, bytesMax)];
  try {
    return serverNameIn(messageIn(seen, bytes.length, bytesMax));
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

class Refusal extends Error {}

function refuse(why: string): never {
  throw new Refusal(why);
}

/** The body of the handshake message, out of its records. */
function messageIn(seen: readonly number[], sent: number, bytesMax: number): number[] {
  const cut = (): never => refuse(sent >= bytesMax + 1 ? '! too-large' : 'more');
  const message: number[] = [];
  let bodyLength = Number.NaN;
  for (let at = 0; ; ) {
    const [kind, major] = [seen[at], seen[at + 1]];
    if (kind === undefined) cut();
    if (kind !== 22) refuse(at === 0 ? '! not-tls' : '! malformed');
    if (major === undefined) cut();
    if (major !== 3) refuse(at === 0 ? '! not-tls' : '! malformed');
    if (seen.length < at + 5) cut();
    const length = number(seen.slice(at + 3, at + 5));
    if (length === 0 || length > 2 ** 14) refuse('! malformed');
    for (const byte of seen.slice(at + 5, at + 5 + length)) {
      message.push(byte);
      if (message[0] !== 1) refuse('! malformed');
      if (message.length === 4) bodyLength = lengthOf(message, bytesMax);
      if (message.length === 4 + bodyLength) return message.slice(4);
    }
    at += 5 + length;
  }
}

function lengthOf(header: readonly number[], bytesMax: number): number {
  const bodyLength = number(header.slice(1, 4));
  if (5 + 4 + bodyLength > bytesMax) refuse('! too-large');
  return bodyLength === 0 ? refuse('! malformed') : bodyLength;
}

function serverNameIn(body: readonly number[]): string {
  const hello = fields(body);
  if (hello.take(2)[0] !== 3) refuse('! malformed');
  hello.take(32);
  if (hello.vector(1).length > 32) refuse('! malformed');
  const suites = hello.vector(2);
  if (suites.length < 2 || suites.length % 2 === 1) refuse('! malformed');
  if (hello.vector(1).length < 1) refuse('! malformed');
  if (hello.left() === 0) return '! no-server-name';
  const extensions = fields(hello.vector(2));
  if (hello.left() > 0) refuse('! malformed');
  const named: number[][] = [];
  while (extensions.left() > 0) {
    const type = number(extensions.take(2));
    const content = extensions.vector(2);
    if (type === 0) named.push(content);
  }
  // The first is read even if a second one then spoils it: whichever is wrong, it is a refusal; which one, the order says.
  if (named.length === 0) return '! no-server-name';
  if (named.length > 1) refuse('! malformed');
  const outer = fields(named[0] as number[]);
  const list = fields(outer.vector(2));
  if (outer.left() > 0) refuse('! malformed');
  const type = list.take(1)[0];
  const name = list.vector(2);
  if (type !== 0 || name.length === 0 || list.left() > 0) refuse('! malformed');
  const text = String.fromCharCode(...name);
  return /^[a-z0-9._-]{1,255}$/i.test(text) ? text : '! server-name-bad';
}

function fields(bytes: readonly number[]) {
  let at = 0;
  const take = (count: number): number[] => {
    if (at + count > bytes.length) refuse('! malformed');
    at += count;
    return bytes.slice(at - count, at);
  };
  return { take, vector: (lengthBytes: number): number[] => take(number(take(lengthBytes))), left: () => bytes.length - at };
}

const number = (bytes: readonly number[]): number => bytes.reduce((value, byte) => value * 256 + byte, 0);
