import type { BoundaryRefusal } from '@sallyport/authority';
import type { DialFailure } from '@sallyport/proxy';

/** What supervisors are told; their own answer to people follows from it. */
export type Refusal =
  | BoundaryRefusal
  | 'token_missing'
  | 'token_invalid'
  | 'address_refused'
  | 'app_refused'
  | 'app_timeout'
  | 'app_failed'
  | 'over_limit'
  | 'not_found'
  | 'too_large'
  | 'head_too_large'
  | 'head_timeout'
  | 'bad_request';

/** Told of each refusal, once. */
export type OnRefused = (refusal: Refusal, address: string | undefined) => void;

/** One row for each; the compiler counts them. */
const STATUS: Record<Refusal, number> = {
  other_runtime: 403,
  other_sandbox: 403,
  other_generation: 403,
  nonce_unknown: 403,
  nonce_expired: 403,
  epoch_fenced: 403,
  other_member: 403,
  no_right: 403,
  port_not_declared: 403,
  token_missing: 403,
  token_invalid: 403,
  address_refused: 403,
  too_many_nonces: 503,
  over_limit: 503,
  app_refused: 502,
  app_failed: 502,
  app_timeout: 504,
  not_found: 404,
  too_large: 413,
  head_too_large: 431,
  head_timeout: 408,
  bad_request: 400,
};

/** What also happens to a supervisor that does all it should: after a takeover, a restart, while an application starts. */
const EVERYDAY: ReadonlySet<Refusal> = new Set<Refusal>([
  'nonce_unknown',
  'nonce_expired',
  'epoch_fenced',
  'no_right',
  'port_not_declared',
  'too_many_nonces',
  'over_limit',
  'app_refused',
  'app_failed',
  'app_timeout',
]);

/** Worth a look: no honest supervisor comes to it. */
export const isSuspicious = (refusal: Refusal): boolean => !EVERYDAY.has(refusal);

/** What Node says is wrong with bytes that are no request. */
export function refusalOfHead(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return 'head_too_large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'head_timeout' : 'bad_request';
}

export const statusOf = (refusal: Refusal): number => STATUS[refusal];

/** The field that names the refusal. */
export const REFUSAL_FIELD = 'sallyport-boundary';

export function refusalOfDial({ kind }: DialFailure): Refusal {
  switch (kind) {
    case 'refused':
      return 'app_refused';
    case 'timeout':
      return 'app_timeout';
    case 'forbidden':
      return 'address_refused';
    case 'aborted':
      return 'epoch_fenced';
    case 'failed':
      return 'app_failed';
  }
}
