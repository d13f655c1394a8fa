import type { Rejection } from './codes.ts';
import type { RequestHead } from './head.ts';

/** What a request asks for, in the one spelling that the rest of the program compares. */
export interface Asked {
  /** Lower case, one trailing dot and the port removed. */
  readonly host: string;
  /** `host`, or `host:port` where the client sent a port: what an application under the public name should see. */
  readonly hostField: string;
  /** Origin form (`/path?query`, untouched), or `*` with OPTIONS. */
  readonly target: string;
  /** A complete WebSocket handshake. False for any other Upgrade: that request goes on as plain HTTP. */
  readonly webSocket: boolean;
}

export type Checked = { readonly ok: true; readonly value: Asked } | { readonly ok: false; readonly error: Rejection };

/** Checks a well-formed head against the rules of an intermediary (RFC 9110 section 7, RFC 9112 section 3, RFC 6455 section 4.2.1). */
export function checkRequest(_head: RequestHead): Checked {
  throw new Error('not built yet');
}

/** Whether a request may be sent a second time after a reused connection died: idempotent (RFC 9110 section 9.2.2), no body. */
export function mayRepeat(_head: RequestHead): boolean {
  throw new Error('not built yet');
}
