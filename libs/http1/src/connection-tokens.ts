import { FIELD, type FieldKind } from './field-kind.ts';
import type { Fields } from './head.ts';
import { listMembers } from './octets.ts';

/** What the Connection fields of one message say (RFC 9110 section 7.6.1), all of them joined. */
export interface ConnectionTokens {
  readonly close: boolean;
  readonly keepAlive: boolean;
  readonly upgrade: boolean;
  /** Other names, lower case: fields that go no further. */
  readonly names: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();
export const NO_TOKENS: ConnectionTokens = { close: false, keepAlive: false, upgrade: false, names: none };
const ONLY_CLOSE: ConnectionTokens = { close: true, keepAlive: false, upgrade: false, names: none };
const ONLY_KEEP_ALIVE: ConnectionTokens = { close: false, keepAlive: true, upgrade: false, names: none };

/** Members that are no token name no field, since every field's name is one. */
export function readConnection(fields: Fields, kinds: readonly FieldKind[]): ConnectionTokens {
  let joined = '';
  for (let i = 0; i < kinds.length; i++)
    if (kinds[i] === FIELD.connection) joined += joined === '' ? fields[2 * i + 1] : `,${fields[2 * i + 1]}`;
  joined = joined.toLowerCase();
  if (joined === 'keep-alive') return ONLY_KEEP_ALIVE;
  if (joined === 'close') return ONLY_CLOSE;

  const tokens = { close: false, keepAlive: false, upgrade: false, names: new Set<string>() };
  for (const token of listMembers(joined)) {
    if (token === 'close') tokens.close = true;
    else if (token === 'keep-alive') tokens.keepAlive = true;
    else if (token === 'upgrade') tokens.upgrade = true;
    else if (token !== '') tokens.names.add(token);
  }
  return tokens;
}

/** RFC 9112 section 9.3: `close` wins, HTTP/1.1 lives on by default, HTTP/1.0 only when asked. */
export const livesOn = (minor: 0 | 1, tokens: ConnectionTokens): boolean => !tokens.close && (minor === 1 || tokens.keepAlive);

/** Whether Connection names this field away. Rules for framing, Host and our own fields never ask. */
export const isNamed = (name: string, names: ReadonlySet<string>): boolean => names.size > 0 && names.has(name.toLowerCase());
