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
  | 'too_large';

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
};

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
