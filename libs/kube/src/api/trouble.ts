/** Why the API server gave no good answer. */
export type Trouble =
  /** 410: the cursor is older than what the server keeps. */
  | { readonly kind: 'expired'; readonly message: string }
  | { readonly kind: 'unauthenticated'; readonly message: string }
  | { readonly kind: 'forbidden'; readonly message: string }
  | { readonly kind: 'missing'; readonly message: string }
  | { readonly kind: 'conflict'; readonly message: string }
  /** 429 and 503: it asks to be left alone for so long. */
  | { readonly kind: 'busy'; readonly message: string; readonly retryAfterMs: number }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'unreachable'; readonly message: string }
  /** More than we take at once. */
  | { readonly kind: 'too-large'; readonly message: string }
  /** What came is not what the API promises. */
  | { readonly kind: 'malformed'; readonly message: string };

export const trouble = (kind: Exclude<Trouble['kind'], 'busy'>, message: string): Trouble => ({ kind, message });

const KINDS: Readonly<Record<number, Exclude<Trouble['kind'], 'busy'>>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'missing',
  409: 'conflict',
  410: 'expired',
};
/** No server may keep us away for longer; milliseconds. */
const RETRY_AFTER_MAX_MS = 60_000;
const MESSAGE_LENGTH_MAX = 300;

/** From an HTTP status, or from the `code` of an error that came inside a watch. */
export function troubleOf(code: number, message: string, retryAfterSeconds = 0): Trouble {
  const said = `${code}${message === '' ? '' : `: ${message.slice(0, MESSAGE_LENGTH_MAX)}`}`;
  if (code === 429 || code === 503) {
    const askedMs = Number.isFinite(retryAfterSeconds) ? Math.max(0, retryAfterSeconds * 1_000) : 0;
    return { kind: 'busy', message: said, retryAfterMs: Math.min(askedMs, RETRY_AFTER_MAX_MS) };
  }
  return trouble(KINDS[code] ?? 'failed', said);
}
