import { readChunks } from './loose-reader.ts';
import type { PeerAnswer } from './peer.ts';

const REFUSED: PeerAnswer = { status: undefined, body: '', whole: false };

/** What another proxy has passed on, to the end of its connection. A 502 is its own word: no case's application says it. */
export function readAnswer(got: string, isHead: boolean, clean: boolean): PeerAnswer {
  for (let at = 0; ; ) {
    const end = got.indexOf('\r\n\r\n', at);
    const head = got.slice(at, end);
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 502);
    if (end === -1 || status === 502) return REFUSED;
    at = end + 4;
    if (status < 200) continue;
    const rest = got.slice(at);
    if (isHead || status === 204 || status === 304) return { status, body: '', whole: true };
    if (/^transfer-encoding:/im.test(head)) {
      const body = readChunks(rest, 0);
      return { status, body: body?.text ?? '', whole: body !== undefined };
    }
    const length = /^content-length:[ \t]*(\d+)/im.exec(head)?.[1];
    if (length === undefined) return { status, body: rest, whole: clean };
    return { status, body: rest.slice(0, Number(length)), whole: rest.length >= Number(length) };
  }
}
