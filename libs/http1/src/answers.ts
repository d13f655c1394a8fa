import type { Code } from './codes.ts';
import type { RequestHead } from './head.ts';

export interface AnswerContext {
  /** The request that is answered; absent where its head could not be read. Decides HTML or JSON, and whether HEAD was asked. */
  readonly request?: RequestHead | undefined;
  /** The public host that was asked for; '' where unknown. */
  readonly host: string;
  /** The connection ends after this answer: the code's row says so, or the request's body is not whole, or we drain. */
  readonly close: boolean;
}

/** A whole answer of our own, head and body, as ASCII. Says `Connection: close` if the context or the code's row closes. */
export function writeAnswer(_code: Code, _context: AnswerContext): string {
  throw new Error('not built yet');
}

/** The answer to plain HTTP on the TLS port: a 400 in plain text that names the https URL. `authority` is `host` or `host:port`. */
export function writePlainHttpAnswer(_authority: string): string {
  throw new Error('not built yet');
}
