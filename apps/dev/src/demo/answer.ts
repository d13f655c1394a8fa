import type { IncomingMessage, ServerResponse } from 'node:http';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Nothing here may be kept by a cache: a page that outlives its route would show a door that is open no more. */
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

export function answerJson(response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void {
  answerText(response, status, `${JSON.stringify(value)}\n`, { ...headers, 'content-type': 'application/json; charset=utf-8' });
}

export function answerText(response: ServerResponse, status: number, body: string, headers: Record<string, string>): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...HEADERS, 'content-length': String(bytes.length), ...headers });
  // Node leaves the body out for HEAD and keeps the length.
  response.end(bytes);
}

export const refuse = (response: ServerResponse, status: number, message: string, headers: Record<string, string> = {}): void =>
  answerJson(response, status, { message }, headers);
