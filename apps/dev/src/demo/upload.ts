import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerJson, type Handler, refuse } from './answer.ts';
import type { DemoLimits } from './limits.ts';

/** Takes a body of any length as it comes, counts it and keeps nothing. */
export function createUpload({ uploadMax, uploadBytesMax }: Pick<DemoLimits, 'uploadMax' | 'uploadBytesMax'>): Handler {
  let liveCount = 0;

  /** The rest of the body is not wanted, and only the end of the connection stops it. */
  function refuseBody(response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}): void {
    refuse(response, status, message, { ...headers, connection: 'close' });
  }

  function count(request: IncomingMessage, response: ServerResponse): void {
    const startedMs = performance.now();
    let bytes = 0;
    liveCount += 1;
    request.once('close', () => {
      liveCount -= 1;
    });
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= uploadBytesMax || response.headersSent) return;
      request.pause();
      refuseBody(response, 413, tooLong(uploadBytesMax));
    });
    request.once('end', () => {
      if (!response.headersSent) answerJson(response, 200, { bytes, ms: Math.round(performance.now() - startedMs) });
    });
  }

  return (request, response) => {
    if (liveCount >= uploadMax) {
      refuseBody(response, 503, 'Too many uploads are running.', { 'retry-after': '5' });
    } else if (Number(request.headers['content-length'] ?? 0) > uploadBytesMax) {
      refuseBody(response, 413, tooLong(uploadBytesMax));
    } else {
      count(request, response);
    }
  };
}

const tooLong = (bytesMax: number): string => `An upload may have at most ${bytesMax} bytes.`;
