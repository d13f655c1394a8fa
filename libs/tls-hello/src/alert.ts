import type { HelloRefusal } from './reading.ts';

/** Descriptions of TLS alerts that are sent before any handshake (RFC 8446 section 6.2). */
export const ALERTS = {
  decodeError: 50,
  internalError: 80,
  missingExtension: 109,
  unrecognizedName: 112,
} as const;

export type Alert = keyof typeof ALERTS;

/** What a client is told whose hello is refused; nothing where it does not speak TLS. */
export const ALERT_OF_REFUSAL: Readonly<Record<HelloRefusal, Alert | undefined>> = {
  'not-tls': undefined,
  malformed: 'decodeError',
  'too-large': 'internalError',
  'no-server-name': 'missingExtension',
  'server-name-bad': 'unrecognizedName',
};

const ALERT_RECORD = 21;
const FATAL = 2;

/** A whole record with one fatal alert, in the form that every version of TLS reads. */
export const alertRecord = (alert: Alert): Uint8Array => Uint8Array.of(ALERT_RECORD, 3, 3, 0, 2, FATAL, ALERTS[alert]);
