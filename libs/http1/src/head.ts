import type { FieldKind } from './field-kind.ts';

/** How the end of a body is known (RFC 9112 section 6). `until-close` exists in answers only. */
export type Framing = 'none' | 'length' | 'chunked' | 'until-close';

/**
 * Field lines as they came: flat pairs `[name, value, name, value, …]` with raw case, order and duplicates. Values are
 * latin1 strings (one character a byte) without the blanks around them. Flat, because one array is cheaper than one per
 * field and every rule walks it in order anyway.
 */
export type Fields = readonly string[];

/** What requests and answers share. */
export interface Head {
  /** The minor version: HTTP/1.0 or HTTP/1.1; nothing else gets this far. */
  readonly minor: 0 | 1;
  readonly fields: Fields;
  /** `kinds[i]` says which rule, if any, looks at the field whose name is `fields[2 * i]`. */
  readonly kinds: readonly FieldKind[];
  /** A bit (`1 << kind`) for each kind that occurs. */
  readonly seen: number;
  readonly framing: Framing;
  /** Bytes of the body when framing is `length`; of the Content-Length of an answer without body (HEAD, 304); else -1. */
  readonly length: number;
  /** Whether the sender lets the connection live after this message: version and Connection tokens (RFC 9112 section 9.3). */
  readonly keepAlive: boolean;
  /** Connection has the token `upgrade`. */
  readonly connectionUpgrade: boolean;
  /** Lower-case names in Connection besides close, keep-alive and upgrade; they go no further. Usually empty. */
  readonly connectionNames: ReadonlySet<string>;
}

export interface RequestHead extends Head {
  readonly kind: 'request';
  /** A token, as sent: methods are case-sensitive. */
  readonly method: string;
  /** As sent: no blanks and no control bytes, otherwise unchecked until `checkRequest`. */
  readonly target: string;
  /** `Expect: 100-continue` was sent, in HTTP/1.1. */
  readonly expectsContinue: boolean;
}

export interface ResponseHead extends Head {
  readonly kind: 'response';
  /** 100 to 999. */
  readonly status: number;
  readonly phrase: string;
}
