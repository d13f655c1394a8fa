import type { ServerResponse } from 'node:http';
import { type Handler, refuse } from './answer.ts';
import type { DemoLimits } from './limits.ts';

/** Server-sent events, one each second: shows that a proxy holds no small chunk back. */
export interface ClockStream {
  readonly handle: Handler;
  close(): void;
}

export function createClockStream({ clockMax, tickMs }: Pick<DemoLimits, 'clockMax' | 'tickMs'>): ClockStream {
  const readers = new Map<ServerResponse, number>();
  let timer: NodeJS.Timeout | undefined;

  function tell(response: ServerResponse, sequence: number): void {
    // A reader that takes nothing would have its ticks pile up here: the page opens a new stream by itself.
    if (response.writableNeedDrain) {
      response.destroy();
      return;
    }
    readers.set(response, sequence + 1);
    response.write(`event: tick\nid: ${sequence}\ndata: ${JSON.stringify({ now: Date.now(), sequence })}\n\n`);
  }

  function forget(response: ServerResponse): void {
    readers.delete(response);
    if (readers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    handle(request, response) {
      if (readers.size >= clockMax) {
        refuse(response, 503, 'Too many clocks are open.', { 'retry-after': '5' });
        return;
      }
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      if (request.method === 'HEAD') {
        response.end();
        return;
      }
      response.once('close', () => forget(response));
      response.write('retry: 1000\n\n');
      tell(response, 1);
      timer ??= setInterval(() => {
        for (const [reader, sequence] of readers) tell(reader, sequence);
      }, tickMs);
    },
    close() {
      for (const reader of readers.keys()) reader.end();
    },
  };
}
