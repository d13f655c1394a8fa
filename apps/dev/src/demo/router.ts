import type { IncomingMessage } from 'node:http';
import { answerJson, answerText, type Handler, refuse } from './answer.ts';
import type { ClockStream } from './clock-stream.ts';
import type { Memory } from './memory.ts';
import { type Page, renderPage } from './page/render.ts';
import { seenRequest } from './seen-request.ts';

export interface Parts {
  readonly page: Page;
  readonly memory: Memory;
  readonly clock: ClockStream;
  readonly upload: Handler;
}

/** Path, then method. HEAD goes wherever GET does. */
type Routes = Readonly<Record<string, Readonly<Record<string, Handler>>>>;

export function createRouter({ page, memory, clock, upload }: Parts): Handler {
  const routes: Routes = {
    '/': {
      GET: (request, response) => answerText(response, 200, renderPage(page, memory.read(), seenRequest(request)), page.headers),
    },
    '/api/state': { GET: (_request, response) => answerJson(response, 200, memory.read()) },
    '/api/counter': {
      POST: (request, response) => {
        memory.add();
        // A browser without scripts posts the form and wants to see the page again.
        if (wantsPage(request)) answerText(response, 303, '', { location: '/' });
        else answerJson(response, 200, memory.read());
      },
    },
    '/api/headers': { GET: (request, response) => answerJson(response, 200, seenRequest(request)) },
    '/api/clock': { GET: clock.handle },
    '/api/upload': { POST: upload },
    '/api/echo': {
      GET: (_request, response) => refuse(response, 426, 'This is a WebSocket.', { upgrade: 'websocket', connection: 'Upgrade' }),
    },
  };

  return (request, response) => {
    // Whatever happens to a socket, its exchange alone ends.
    request.on('error', () => {});
    response.on('error', () => {});
    const methods = own(routes, pathOf(request));
    if (methods === undefined) {
      refuse(response, 404, 'There is nothing at this path.');
      return;
    }
    const handler = own(methods, request.method === 'HEAD' ? 'GET' : (request.method ?? ''));
    if (handler === undefined) refuse(response, 405, 'Not with this method.', { allow: Object.keys(methods).join(', ') });
    else handler(request, response);
  };
}

/** Without the query; never parsed as a URL, which throws on what strangers send. */
export const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] as string;

const wantsPage = ({ headers }: IncomingMessage): boolean => headers.accept?.includes('text/html') === true;

/** A path such as `/constructor` or a method such as `toString` must not find what every object has. */
const own = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;
