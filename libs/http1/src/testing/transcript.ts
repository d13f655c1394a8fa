import type { Bytes } from '../bytes.ts';
import type { Fields } from '../head.ts';
import type { RequestReader } from '../request-reader.ts';
import type { ResponseReader } from '../response-reader.ts';

/**
 * Feeds chunks to a reader and writes down what it says, a line an event, as tests compare it. Data that follows data is
 * joined, because where the input is cut must not matter. A rejection shows its code; why is in `reader.rejection`.
 */
export function transcribe<B extends Bytes<B>>(
  reader: RequestReader<B> | ResponseReader<B>,
  chunks: readonly B[],
  end: 'end' | 'open' = 'end',
): string[] {
  const lines: string[] = [];
  let data = '';
  const say = (line: string): void => {
    if (data !== '') lines.push(`data ${data}`);
    data = '';
    lines.push(line);
  };

  /** @returns whether the reader wants more input */
  const drain = (): boolean => {
    while (true) {
      const event = reader.read();
      switch (event) {
        case 'head':
        case 'interim':
        case 'switched':
          say(`${event} ${firstLine(reader)}${listed(reader.head.fields)}`);
          if (event === 'switched') return false;
          break;
        case 'data':
          data += reader.data.toString('latin1');
          break;
        case 'end':
          say(`end${listed(reader.trailers)}`);
          break;
        case 'more':
          return true;
        case 'rejected':
          say(`rejected ${reader.rejection.code}`);
          return false;
        case 'closed':
        case 'truncated':
          say(event);
          return false;
      }
    }
  };

  for (const chunk of chunks) {
    reader.push(chunk);
    if (!drain()) return lines;
  }
  if (end === 'end') reader.endOfInput();
  if (drain()) say('more');
  return lines;
}

function firstLine(reader: { readonly head: RequestReader<unknown>['head'] | ResponseReader<unknown>['head'] }): string {
  const { head } = reader;
  return head.kind === 'request'
    ? `${head.method} ${head.target} 1.${head.minor}`
    : `1.${head.minor} ${head.status} ${head.phrase}`;
}

function listed(fields: Fields): string {
  let out = '';
  for (let i = 0; i < fields.length; i += 2) out += ` | ${fields[i]}: ${fields[i + 1]}`;
  return out;
}
