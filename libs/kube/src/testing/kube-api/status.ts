/** A refusal as the API words it. */
export interface Status {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  /** Seconds, for 429 and 503. */
  readonly retryAfter?: number | undefined;
}

export const status = (code: number, reason: string, message: string, retryAfter?: number): Status => ({
  code,
  reason,
  message,
  retryAfter,
});

export const isStatus = (value: object): value is Status => 'reason' in value && 'code' in value;

export const statusObject = ({ code, reason, message, retryAfter }: Status) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  ...(retryAfter === undefined ? {} : { details: { retryAfterSeconds: retryAfter } }),
  code,
});

export const EXPIRED_CONTINUE = status(
  410,
  'Expired',
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
);
export const tooOld = (asked: number, oldest: number): Status =>
  status(410, 'Expired', `too old resource version: ${asked} (${oldest})`);
