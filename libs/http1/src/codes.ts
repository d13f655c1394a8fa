/** Why a request is refused, or why an answer of the application is not passed on. The only codes that exist. */
export type Code =
  | 'bad_request'
  | 'headers_too_large'
  | 'head_timeout'
  | 'method_refused'
  | 'coding_refused'
  | 'version_refused'
  | 'host_mismatch'
  | 'route_unknown'
  | 'route_withdrawn'
  | 'not_fresh'
  | 'lease_expired'
  | 'draining'
  | 'over_limit'
  | 'app_unreachable'
  | 'app_protocol'
  | 'app_timeout';

/** One refusal. `reason` is for the log and for tests; a client sees only what the table below says. */
export interface Rejection {
  readonly code: Code;
  readonly reason: string;
}

/** One row: how a code looks to the client. */
export interface AnswerRow {
  readonly status: number;
  /** The standard reason phrase of the status. */
  readonly phrase: string;
  /** Whether the same request may well succeed a little later, unchanged. */
  readonly retryable: boolean;
  /** Seconds for Retry-After; absent where waiting does not help. */
  readonly retryAfterS?: number;
  /** The connection cannot go on: where the next request begins is unknown, or the peer must look elsewhere. */
  readonly closes: boolean;
  /** One plain sentence for people. No internals. */
  readonly message: string;
}

/** The one table from code to answer. The compiler counts the rows. */
export const ANSWERS: Readonly<Record<Code, AnswerRow>> = {
  bad_request: {
    status: 400,
    phrase: 'Bad Request',
    retryable: false,
    closes: true,
    message: 'The request is not well-formed HTTP/1.1.',
  },
  headers_too_large: {
    status: 431,
    phrase: 'Request Header Fields Too Large',
    retryable: false,
    closes: true,
    message: 'The request has too many header fields, or they are too long.',
  },
  head_timeout: {
    status: 408,
    phrase: 'Request Timeout',
    retryable: true,
    closes: true,
    message: 'The request took too long to arrive.',
  },
  method_refused: {
    status: 405,
    phrase: 'Method Not Allowed',
    retryable: false,
    closes: true,
    message: 'This method is not served here.',
  },
  coding_refused: {
    status: 501,
    phrase: 'Not Implemented',
    retryable: false,
    closes: true,
    message: 'Only the transfer coding "chunked" is understood.',
  },
  version_refused: {
    status: 505,
    phrase: 'HTTP Version Not Supported',
    retryable: false,
    closes: true,
    message: 'Only HTTP/1.0 and HTTP/1.1 are served.',
  },
  host_mismatch: {
    status: 421,
    phrase: 'Misdirected Request',
    retryable: true,
    closes: false,
    message: 'This connection was opened for another host.',
  },
  route_unknown: {
    status: 404,
    phrase: 'Not Found',
    retryable: false,
    closes: false,
    message: 'No service is exposed under this name.',
  },
  route_withdrawn: {
    status: 404,
    phrase: 'Not Found',
    retryable: false,
    closes: false,
    message: 'This service is no longer exposed.',
  },
  not_fresh: {
    status: 503,
    phrase: 'Service Unavailable',
    retryable: true,
    retryAfterS: 5,
    closes: false,
    message: 'The route to this service is being confirmed. Try again shortly.',
  },
  lease_expired: {
    status: 503,
    phrase: 'Service Unavailable',
    retryable: true,
    retryAfterS: 5,
    closes: false,
    message: 'The route to this service is being confirmed. Try again shortly.',
  },
  draining: {
    status: 503,
    phrase: 'Service Unavailable',
    retryable: true,
    retryAfterS: 1,
    closes: true,
    message: 'This service is moving. Try again shortly.',
  },
  over_limit: {
    status: 503,
    phrase: 'Service Unavailable',
    retryable: true,
    retryAfterS: 5,
    closes: false,
    message: 'Too many requests are open at this moment. Try again shortly.',
  },
  app_unreachable: {
    status: 502,
    phrase: 'Bad Gateway',
    retryable: true,
    retryAfterS: 2,
    closes: false,
    message: 'Nothing is listening behind this name yet.',
  },
  app_protocol: {
    status: 502,
    phrase: 'Bad Gateway',
    retryable: false,
    closes: false,
    message: 'The application gave an answer that is not well-formed HTTP/1.1.',
  },
  app_timeout: {
    status: 504,
    phrase: 'Gateway Timeout',
    retryable: true,
    closes: false,
    message: 'The application did not answer in time.',
  },
};
