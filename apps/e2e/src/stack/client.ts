import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { livelyMs } from '@sallyport/process/lively';

/** A real client of a dev stack: real TLS under its CA, the name resolved to loopback as browsers do for *.localhost. */
export interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const optionsOf = (
  url: URL,
  ca: string,
  path: string,
): Omit<RequestOptions, 'headers'> & { readonly headers: Record<string, string> } => ({
  host: '127.0.0.1',
  port: url.port,
  servername: url.hostname,
  path,
  ca,
  agent: new Agent({ keepAlive: false }),
  headers: { host: url.host },
});

export function get(url: URL, ca: string, path = '/', headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = optionsOf(url, ca, path);
    const sent = request({ ...options, headers: { ...options.headers, ...headers } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, code: codeOf(response), headers: response.headers, body }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

interface Ending {
  readonly clean: boolean;
  readonly at: number;
  /** By `livelyMs`, for bounds. */
  readonly livelyAt: number;
}

/** A stream that is open: how it ended is known once it has. */
export interface Open {
  readonly ended: Promise<Ending>;
  isOpen(): boolean;
  close(): void;
}

/** Starts a download that never ends by itself; resolves at its first byte. */
export function download(url: URL, ca: string): Promise<Open> {
  return new Promise((resolve, reject) => {
    const sent = request(optionsOf(url, ca, '/slow'), (response) => {
      const open = openUntil((end) => {
        response.once('end', () => end(true));
        response.once('error', () => end(false));
        response.once('close', () => end(response.complete));
      });
      response.once('data', () => resolve({ ...open, close: () => void sent.destroy() }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Opens a WebSocket; resolves at the application's 101. */
export function openWebSocket(url: URL, ca: string): Promise<Open> {
  return new Promise((resolve, reject) => {
    const options = optionsOf(url, ca, '/ws');
    const sent = request({
      ...options,
      headers: {
        ...options.headers,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      },
    });
    sent.on('upgrade', (_response, socket) => {
      socket.on('error', () => undefined);
      resolve({ ...openUntil((end) => socket.once('close', () => end(true))), close: () => void socket.destroy() });
    });
    sent.on('response', (response) => reject(new Error(`answered ${response.statusCode} instead of 101`)));
    sent.on('error', reject);
    sent.end();
  });
}

function openUntil(listen: (end: (clean: boolean) => void) => void): Omit<Open, 'close'> {
  let open = true;
  const ended = new Promise<Ending>((resolve) =>
    listen((clean) => {
      open = false;
      resolve({ clean, at: performance.now(), livelyAt: livelyMs() });
    }),
  );
  return { ended, isOpen: () => open };
}

const codeOf = (response: IncomingMessage): string | undefined => response.headers['sallyport-error'] as string | undefined;
