import type { PeerRequest } from './peer.ts';
import { plainHost } from './peer.ts';

/** `client`: the port of the client, which each proxy is configured to tell in a field of its own. */
export type OnWhole = (request: PeerRequest, client: number) => void;

/** Reads what another proxy writes, whatever it lets through: only where one request ends and the next begins. */
export function createLooseReader(onWhole: OnWhole): (chunk: Buffer) => void {
  let waiting = '';
  return (chunk) => {
    waiting += chunk.toString('latin1');
    for (let end = readOne(waiting, onWhole); end > 0; end = readOne(waiting, onWhole)) waiting = waiting.slice(end);
  };
}

/** @returns behind the first request, or 0 if it is not whole */
function readOne(text: string, onWhole: OnWhole): number {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return 0;
  const head = text.slice(0, headEnd);
  const at = headEnd + 4;
  const fieldOf = (name: string): string | undefined => new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*$`, 'im').exec(head)?.[1];
  const body = fieldOf('transfer-encoding')?.toLowerCase().includes('chunked')
    ? readChunks(text, at)
    : readLength(text, at, Number(fieldOf('content-length') ?? 0));
  if (body === undefined) return 0;
  onWhole(
    { method: head.slice(0, head.indexOf(' ')), host: plainHost(fieldOf('host') ?? ''), body: body.text },
    Number(fieldOf('x-case')),
  );
  return body.end;
}

interface Read {
  readonly text: string;
  readonly end: number;
}

const readLength = (text: string, at: number, length: number): Read | undefined =>
  text.length < at + length ? undefined : { text: text.slice(at, at + length), end: at + length };

export function readChunks(text: string, start: number): Read | undefined {
  let body = '';
  for (let at = start; ; ) {
    const lineEnd = text.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    if (Number.isNaN(size)) return undefined;
    at = lineEnd + 2;
    if (size === 0) {
      if (text.startsWith('\r\n', at)) return { text: body, end: at + 2 };
      const end = text.indexOf('\r\n\r\n', at);
      return end === -1 ? undefined : { text: body, end: end + 4 };
    }
    if (text.length < at + size + 2) return undefined;
    body += text.slice(at, at + size);
    at += size + 2;
  }
}
