import { request } from 'node:http';
import { Duplex } from 'node:stream';
import type { PeerAnswer } from './peer.ts';

const HANG_MS = 3_000;

/** Node's own client reads these bytes in answer to its request, on a stream instead of a socket. */
export function readByNode(_lane: number, method: string, bytes: string): Promise<PeerAnswer> {
  return new Promise((resolve) => {
    let status: number | undefined;
    const parts: Buffer[] = [];
    const stream = new Duplex({
      read() {},
      write(_chunk, _encoding, callback) {
        callback();
      },
    });
    stream.on('error', () => {});
    const timer = setTimeout(() => done(false), HANG_MS);
    function done(whole: boolean): void {
      clearTimeout(timer);
      stream.destroy();
      resolve({ status, body: Buffer.concat(parts).toString('latin1'), whole });
    }
    const asked = request({ method, path: '/first', host: 'a.test', createConnection: () => stream, maxHeaderSize: 1_048_576 });
    asked.on('response', (answer) => {
      status = answer.statusCode;
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', () => done(false));
      answer.on('end', () => done(answer.complete));
    });
    // Its parser is ahead of its streams: an answer that it has read before is still to be told of.
    asked.on('error', () => setImmediate(() => setImmediate(() => done(false))));
    asked.on('upgrade', () => done(false));
    asked.end();
    stream.push(Buffer.from(bytes, 'latin1'));
    stream.push(null);
  });
}
