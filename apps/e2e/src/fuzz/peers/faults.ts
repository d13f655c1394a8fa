import type { Comparison } from './compare.ts';
import type { PeerName } from './peer.ts';

/**
 * What a reference reads wrongly although the RFC leaves no doubt (RFC 9110 section 5.5: blanks around a value, tabs too,
 * are no part of it). A closed list as well, and each with what must stand in the bytes.
 */
export const FAULTS = {
  'node-tab-behind-coding': {
    peer: 'node',
    says: 'Node does not know `chunked` with a tab behind it',
    bytes: /transfer-encoding:[^\r\n]*\t[ \t]*\r\n/i,
  },
  'nginx-tab-at-length': {
    peer: 'nginx',
    says: 'nginx does not know a Content-Length or a coding with a tab around it',
    bytes: /(content-length|transfer-encoding):([ ]*\t|[^\r\n]*\t[ \t]*\r\n)/i,
  },
  'haproxy-end-after-interim': {
    peer: 'haproxy',
    says: 'HAProxy ends a chunked answer that was cut short as if it were whole, behind an interim answer',
    bytes: /^HTTP\/1\.[01] 1\d\d/,
  },
} as const;

export type Fault = keyof typeof FAULTS;

/** A difference that is the reference's own fault is called by its name. */
export function blame(peer: PeerName, bytes: string, comparison: Comparison): Comparison {
  if (comparison.kind !== 'different') return comparison;
  const fault = Object.entries(FAULTS).find(([, each]) => each.peer === peer && each.bytes.test(bytes))?.[0];
  return fault === undefined ? comparison : { kind: 'peer-fault', fault: fault as Fault };
}
