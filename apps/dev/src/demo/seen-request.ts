import type { IncomingMessage } from 'node:http';

/** The request as the application received it, for the page to show. */
export interface SeenRequest {
  readonly line: string;
  /** As people see it in their browser, with the port if it has one. */
  readonly host: string;
  readonly fields: readonly SeenField[];
  /** False for somebody who dialled the application's own port. */
  readonly cameThroughDoor: boolean;
}

export interface SeenField {
  readonly name: string;
  readonly value: string;
  /** Sallyport takes these from the client and sets its own, so the application may believe them. */
  readonly setAtDoor: boolean;
}

const SET_AT_DOOR = new Set(['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host']);
/** They are for the application, not for a screen that somebody may be looking at over a shoulder. */
const SECRET = new Set(['authorization', 'proxy-authorization', 'cookie']);
const SHOWN_LENGTH_MAX = 400;
const SHOWN_FIELDS_MAX = 60;

export function seenRequest(request: IncomingMessage): SeenRequest {
  const fields: SeenField[] = [];
  for (let i = 0; i + 1 < request.rawHeaders.length && fields.length < SHOWN_FIELDS_MAX; i += 2) {
    const name = request.rawHeaders[i] ?? '';
    const lower = name.toLowerCase();
    const value = SECRET.has(lower) ? '(hidden on this page)' : shorten(request.rawHeaders[i + 1] ?? '');
    fields.push({ name, value, setAtDoor: SET_AT_DOOR.has(lower) });
  }
  const line = `${request.method ?? ''} ${shorten(request.url ?? '')} HTTP/${request.httpVersion}`;
  const host = shorten(fields.find(({ name }) => name.toLowerCase() === 'x-forwarded-host')?.value ?? request.headers.host ?? '');
  return { line, host, fields, cameThroughDoor: fields.some(({ setAtDoor }) => setAtDoor) };
}

const shorten = (value: string): string => (value.length > SHOWN_LENGTH_MAX ? `${value.slice(0, SHOWN_LENGTH_MAX)}…` : value);
