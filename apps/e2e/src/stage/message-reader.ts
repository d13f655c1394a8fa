import { createMessage, fieldLine, fieldsOf, type Message, type MutableMessage } from './message.ts';

/** Reads messages off a stream of bytes and complains about every deviation from the plainest HTTP/1.1 there is. */
export interface MessageReader {
  push(chunk: Buffer): void;
  /** The stream has ended, cleanly or not. */
  end(clean: boolean): void;
  readonly messages: readonly Message[];
  /** What is wrong with the bytes; the reader then reads no more. */
  readonly fault: string | undefined;
  /** Bytes of a head that is not whole. */
  readonly unread: number;
  /** From now on bytes are a tunnel's and no message's; returns what came already. */
  stop(): Buffer;
}

export interface ReaderOptions {
  readonly kind: 'request' | 'response';
  /** The method whose answer comes next; asked once for each final answer. */
  readonly nextMethod?: () => string;
  readonly onHead?: (message: Message) => void;
  readonly onWhole?: (message: Message) => void;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// Not `\s`, which has the no-break space too: a byte of a target like any other.
const REQUEST_LINE = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [!"$-~\x80-\xff]+ HTTP\/1\.1$/;
const STATUS_LINE = /^HTTP\/1\.1 [1-9]\d\d [\t -~\x80-\xff]*$/;
const isControl = (octet: number): boolean => (octet < 0x20 && octet !== 0x09) || octet === 0x7f;
const hasControl = (text: string): boolean => Buffer.from(text, 'latin1').some(isControl);

export function createMessageReader(options: ReaderOptions): MessageReader {
  const messages: MutableMessage[] = [];
  let waiting: Buffer = Buffer.alloc(0);
  let current: MutableMessage | undefined;
  let step: 'head' | 'body' | 'size' | 'data-end' | 'trailers' | 'stopped' = 'head';
  let left = 0;
  let fault: string | undefined;

  function fail(what: string): false {
    fault ??= `${what}: ${JSON.stringify(waiting.toString('latin1', 0, 160))}`;
    if (current !== undefined) current.state = 'unfinished';
    step = 'stopped';
    return false;
  }

  function whole(): void {
    if (current === undefined) return;
    current.state = 'whole';
    const done = current;
    current = undefined;
    step = 'head';
    options.onWhole?.(done);
  }

  /** False when nothing more can be read now. */
  function read(): boolean {
    switch (step) {
      case 'head':
        return readHead();
      case 'body':
        return readBody();
      case 'size': {
        const line = takeLine();
        if (line === undefined) return false;
        if (!/^[0-9a-fA-F]{1,14}$/.test(line)) return fail(`chunk size ${JSON.stringify(line)}`);
        left = Number.parseInt(line, 16);
        current?.chunkSizes.push(left);
        step = left === 0 ? 'trailers' : 'body';
        return true;
      }
      case 'data-end': {
        if (waiting.length < 2) return false;
        if (waiting.toString('latin1', 0, 2) !== '\r\n') return fail('no CR LF after a chunk');
        waiting = waiting.subarray(2);
        step = 'size';
        return true;
      }
      case 'trailers': {
        const line = takeLine();
        if (line === undefined) return false;
        if (line === '') whole();
        else if (isFieldLine(line)) current?.trailers.push(fieldLine(line));
        else return fail('a malformed trailer');
        return true;
      }
      case 'stopped':
        return false;
    }
  }

  function takeLine(): string | undefined {
    const at = waiting.indexOf('\n');
    if (at === -1) return undefined;
    if (at === 0 || waiting[at - 1] !== 0x0d) {
      fail('a bare LF');
      return undefined;
    }
    const line = waiting.toString('latin1', 0, at - 1);
    waiting = waiting.subarray(at + 1);
    return line;
  }

  function readHead(): boolean {
    const at = waiting.indexOf('\r\n\r\n');
    if (at === -1) {
      if (/[^\r]\n|^\n/.test(waiting.toString('latin1'))) return fail('a bare LF in a head');
      return false;
    }
    const head = waiting.toString('latin1', 0, at + 4);
    const wrong = wrongInHead(head, options.kind);
    if (wrong !== undefined) return fail(wrong);
    waiting = waiting.subarray(at + 4);
    const status = options.kind === 'response' ? Number(head.slice(9, 12)) : 0;
    const isInterim = status >= 100 && status < 200;
    const method = isInterim ? '' : (options.nextMethod?.() ?? '');
    const { framing, length } = framingOf(head, options.kind, status, method);
    current = createMessage(head, framing);
    messages.push(current);
    left = length;
    step = framing === 'chunked' ? 'size' : 'body';
    options.onHead?.(current);
    if (current !== undefined && step === 'body' && (framing === 'none' || (framing === 'length' && length === 0))) whole();
    return true;
  }

  function readBody(): boolean {
    if (waiting.length === 0 || current === undefined) return false;
    const piece = current.framing === 'until-close' ? waiting : waiting.subarray(0, left);
    waiting = waiting.subarray(piece.length);
    left -= piece.length;
    current.take(piece);
    if (current.framing === 'length' && left === 0) whole();
    else if (current.framing === 'chunked' && left === 0) step = 'data-end';
    return true;
  }

  return {
    messages,
    get fault() {
      return fault;
    },
    get unread() {
      return step === 'head' ? waiting.length : 0;
    },
    push(chunk) {
      waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
      while (read());
    },
    end(clean) {
      if (current === undefined) return;
      if (current.framing === 'until-close' && clean) whole();
      else current.state = 'unfinished';
    },
    stop() {
      const rest = waiting;
      waiting = Buffer.alloc(0);
      if (current !== undefined) current.state = 'whole';
      current = undefined;
      step = 'stopped';
      return rest;
    },
  };
}

function isFieldLine(line: string): boolean {
  const colon = line.indexOf(':');
  return colon > 0 && TOKEN.test(line.slice(0, colon)) && !hasControl(line.slice(colon + 1));
}

function wrongInHead(head: string, kind: 'request' | 'response'): string | undefined {
  const [start = '', ...lines] = head.slice(0, -4).split('\r\n');
  if (!(kind === 'request' ? REQUEST_LINE : STATUS_LINE).test(start)) return 'a malformed first line';
  const bad = lines.find((line) => !isFieldLine(line));
  if (bad !== undefined) return `a malformed field line ${JSON.stringify(bad)}`;
  const fields = { fields: lines.map(fieldLine) };
  const lengths = fieldsOf(fields, 'content-length');
  const codings = fieldsOf(fields, 'transfer-encoding');
  if (kind === 'request' && fieldsOf(fields, 'host').length !== 1) return 'not exactly one Host';
  if (lengths.length + codings.length > 1) return 'more than one framing field';
  if (lengths.some((value) => !/^\d+$/.test(value))) return 'a malformed Content-Length';
  if (codings.some((value) => value !== 'chunked')) return 'a Transfer-Encoding that is not exactly chunked';
  return undefined;
}

function framingOf(head: string, kind: 'request' | 'response', status: number, method: string) {
  const fields = { fields: head.slice(0, -4).split('\r\n').slice(1).map(fieldLine) };
  const bodiless = kind === 'response' && (method === 'HEAD' || status < 200 || status === 204 || status === 304);
  const length = fieldsOf(fields, 'content-length')[0];
  if (bodiless) return { framing: 'none', length: 0 } as const;
  if (fieldsOf(fields, 'transfer-encoding').length > 0) return { framing: 'chunked', length: 0 } as const;
  if (length !== undefined) return { framing: 'length', length: Number(length) } as const;
  return { framing: kind === 'request' ? 'none' : 'until-close', length: 0 } as const;
}
