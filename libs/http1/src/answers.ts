import { ANSWERS, type AnswerRow, type Code } from './codes.ts';
import { FIELD } from './field-kind.ts';
import type { RequestHead } from './head.ts';
import { parseHost } from './host.ts';
import { listMembers, trimBlanks } from './octets.ts';

export interface AnswerContext {
  /** The request that is answered; absent where its head could not be read. Decides HTML or JSON, and whether HEAD was asked. */
  readonly request?: RequestHead | undefined;
  /** Where there is no `request`: whether it asked with HEAD all the same. */
  readonly asksHead?: boolean;
  /** The public host that was asked for; '' where unknown. */
  readonly host: string;
  /** The connection ends after this answer: the request's body is not whole, or we drain. Some codes end it by themselves. */
  readonly close: boolean;
}

/** Whether the connection ends after this answer. `writeAnswer` says so to the client; the caller does it. */
export const answerCloses = (code: Code, { request, close }: AnswerContext): boolean =>
  close || ANSWERS[code].closes || request === undefined || !request.keepAlive;

/** A whole answer of our own, head and body, as ASCII. Shows the code and one sentence; nothing of what is behind us. */
export function writeAnswer(code: Code, context: AnswerContext): string {
  const { request, host } = context;
  const row = ANSWERS[code];
  const html = request !== undefined && acceptsHtml(request);
  const body = html
    ? page(code, row, host)
    : `${JSON.stringify({ code, message: row.message, host, retryable: row.retryable })}\n`;
  const close = answerCloses(code, context);
  let out = `HTTP/1.1 ${row.status} ${row.phrase}\r\n`;
  out += `Content-Type: ${html ? 'text/html' : 'application/json'}; charset=utf-8\r\nContent-Length: ${body.length}\r\n`;
  out += `Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nsallyport-error: ${code}\r\n`;
  if (row.retryAfterS !== undefined) out += `Retry-After: ${row.retryAfterS}\r\n`;
  // RFC 9110 section 15.5.6: a 405 names what is allowed.
  if (row.status === 405) out += 'Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n';
  if (close) out += 'Connection: close\r\n';
  else if (request?.minor === 0) out += 'Connection: keep-alive\r\n';
  const bodiless = request === undefined ? context.asksHead === true : request.method === 'HEAD';
  return bodiless ? `${out}\r\n` : `${out}\r\n${body}`;
}

/** The answer to plain HTTP on the TLS port: a 400 in plain text that names the https URL. `authority` may be anything. */
export function writePlainHttpAnswer(authority: string): string {
  const asked = parseHost(authority);
  const url = asked === undefined ? '' : `: https://${asked.host}${asked.port === '' ? '' : `:${asked.port}`}/`;
  const body = `This port speaks HTTPS${url}\n`;
  return `HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\nCache-Control: no-store\r\nsallyport-error: bad_request\r\nConnection: close\r\n\r\n${body}`;
}

/** Only who names text/html is a person at a browser's address bar: scripts and images ask for anything or for nothing. */
function acceptsHtml({ fields, kinds }: RequestHead): boolean {
  return kinds.some((kind, i) => kind === FIELD.accept && listMembers(fields[2 * i + 1] ?? '').some(isHtml));
}

function isHtml(member: string): boolean {
  const [type = '', ...parameters] = member.toLowerCase().split(';');
  return trimBlanks(type) === 'text/html' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(trimBlanks(parameter)));
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');

const STYLE =
  'html{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:18vh auto 0;padding:0 1.5rem}' +
  'h1{font-size:1.4rem;margin:0 0 .5rem}p{margin:.5rem 0}small,code{opacity:.65}';

/** Self-contained and tiny. Where waiting helps it loads itself again, without a script. */
function page(code: Code, row: AnswerRow, host: string): string {
  const again = row.retryAfterS === undefined ? '' : `<meta http-equiv="refresh" content="${row.retryAfterS}">`;
  const hint = again === '' ? '' : '<p><small>This page tries again by itself.</small></p>';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${again}<title>${row.status} ${row.phrase}</title><style>${STYLE}</style></head><body><h1>${row.message}</h1>${host === '' ? '' : `<p>${escapeHtml(host)}</p>`}<p><code>${row.status} ${code}</code></p>${hint}</body></html>\n`;
}
