import type { TombstoneReason } from '@sallyport/catalog';
import { ALERT_OF_REFUSAL, type Alert, type HelloRefusal } from '@sallyport/tls-hello';

/** Why a connection was not passed on. */
export type Refusal =
  | HelloRefusal
  | 'hello-timeout'
  | 'client-gone'
  | 'proxy-header-bad'
  | 'over-process-limit'
  | 'over-client-limit'
  | 'over-pending-limit'
  | 'over-client-pending-limit'
  | 'over-host-limit'
  /** Nobody publishes the name. */
  | 'name-unknown'
  /** It has no record now, and none came in time. */
  | 'no-record'
  /** It has one, and nobody could be reached there, nor where a newer one said. */
  | 'unreachable'
  | 'draining';

/** What the client is told. Without an alert it is just closed: it does not speak TLS, said nothing, or is one too many. */
export const ALERT_OF: Readonly<Record<Refusal, Alert | undefined>> = {
  ...ALERT_OF_REFUSAL,
  'hello-timeout': undefined,
  'client-gone': undefined,
  'proxy-header-bad': undefined,
  'over-process-limit': undefined,
  'over-client-limit': undefined,
  'over-pending-limit': undefined,
  'over-client-pending-limit': undefined,
  'over-host-limit': 'internalError',
  'name-unknown': 'unrecognizedName',
  'no-record': 'internalError',
  unreachable: 'internalError',
  draining: undefined,
};

/** Why the record that a connection rests on is gone. */
export type RecordEnd = TombstoneReason | 'replaced' | 'lapsed' | 'left-out' | 'moved';

/** How a connection that was passed on has ended. */
export type Ending =
  /** Both sides ended in good order. */
  'complete' | 'client-reset' | 'supervisor-reset' | 'silent' | 'half-closed' | 'drained' | RecordEnd;

/** After these the name is expected back: somebody takes over, or an outage passes. The others took it away on purpose. */
export const COMES_BACK: Readonly<Record<RecordEnd, boolean>> = {
  withdrawn: false,
  expired: true,
  'owner-changed': true,
  'session-lost': true,
  'configuration-changed': true,
  'credential-revoked': false,
  'endpoint-untrusted': true,
  'grant-revoked': false,
  replaced: true,
  lapsed: true,
  'left-out': true,
  moved: true,
};

/** After these a connection may be left to its supervisor for a while, where that is wanted; the others end it at once. */
export const isHandover = (end: RecordEnd): boolean => end === 'moved' || end === 'owner-changed';
