import { createHash } from 'node:crypto';

export type FieldLine = readonly [name: string, value: string];

/** One HTTP message as a stranger would read it who knows nothing of the product's codec. */
export interface Message {
  readonly startLine: string;
  readonly fields: readonly FieldLine[];
  /** The head as it came, to its empty line. */
  readonly head: string;
  /** Milliseconds of this process when the head was whole. */
  readonly headAt: number;
  readonly framing: 'none' | 'length' | 'chunked' | 'until-close';
  state: 'open' | 'whole' | 'unfinished';
  bodyBytes: number;
  readonly chunkSizes: number[];
  readonly trailers: FieldLine[];
  /** When each piece of the body came, and what it was. */
  readonly pieces: { readonly at: number; readonly text: string }[];
  /** The first {@link KEPT_BYTES_MAX} bytes of the body, latin1. */
  body(): string;
  sha256(): string;
}

/** Of a longer body only the digest is compared. */
const KEPT_BYTES_MAX = 4 * 1_024 * 1_024;

export interface MutableMessage extends Message {
  take(piece: Buffer): void;
}

export function createMessage(head: string, framing: Message['framing']): MutableMessage {
  const [startLine = '', ...lines] = head.slice(0, -4).split('\r\n');
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  const message: MutableMessage = {
    startLine,
    fields: lines.map(fieldLine),
    head,
    headAt: performance.now(),
    framing,
    state: 'open',
    bodyBytes: 0,
    chunkSizes: [],
    trailers: [],
    pieces: [],
    body: () => Buffer.concat(kept).toString('latin1'),
    sha256: () => hash.copy().digest('hex'),
    take(piece) {
      message.bodyBytes += piece.length;
      hash.update(piece);
      if (message.bodyBytes > KEPT_BYTES_MAX) return;
      kept.push(piece);
      if (message.pieces.length < 1_000) message.pieces.push({ at: performance.now(), text: piece.toString('latin1') });
    },
  };
  return message;
}

export function fieldLine(line: string): FieldLine {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '')];
}

/** All values of a name, in order. */
export const fieldsOf = ({ fields }: Pick<Message, 'fields'>, name: string): string[] =>
  fields.filter(([each]) => each.toLowerCase() === name.toLowerCase()).map(([, value]) => value);

export const fieldOf = (message: Pick<Message, 'fields'>, name: string): string | undefined => fieldsOf(message, name)[0];

export const methodOf = ({ startLine }: Message): string => startLine.slice(0, startLine.indexOf(' '));
export const targetOf = ({ startLine }: Message): string =>
  startLine.slice(startLine.indexOf(' ') + 1, startLine.lastIndexOf(' '));
export const statusOf = ({ startLine }: Message): number => Number(startLine.slice(9, 12));
