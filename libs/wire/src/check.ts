import {
  err,
  type Failure,
  failure,
  HOST_LENGTH_MAX,
  type Host,
  isId,
  isPort,
  type Nonce,
  ok,
  parseSandboxName,
  parseServiceName,
  parseWorkspaceId,
  type Result,
  type SandboxName,
  type ServiceName,
  type WorkspaceId,
} from '@sallyport/model';

/**
 * Strict reading of one message: each function gives back the value in its own type, or notes a problem. The value made
 * from them leaves `checked` only if no problem was noted, so what a failed check returns is never seen.
 */
export interface Check {
  id<Id extends string>(field: string, text: string): Id;
  /** Empty: undefined. */
  idOrNone<Id extends string>(field: string, text: string): Id | undefined;
  workspace(field: string, text: string): WorkspaceId;
  sandbox(field: string, text: string): SandboxName;
  service(field: string, text: string): ServiceName;
  /** A full host name, lower case, without a trailing dot. */
  host(field: string, text: string): Host;
  port(field: string, port: number): number;
  /** 0 is a value of its own: no listener. */
  portOrZero(field: string, port: number): number;
  /** An epoch or revision that exists: above 0. */
  epoch<Epoch extends bigint>(field: string, number: bigint): Epoch;
  /** 0 stands for none. */
  epochOrZero<Epoch extends bigint>(field: string, number: bigint): Epoch;
  /** A counter that a number holds exactly. */
  sequence(field: string, number: bigint): number;
  nonce(field: string, text: string): Nonce;
  /** SHA-256, lower-case hexadecimal. */
  hash(field: string, text: string): string;
  /** Empty: nothing was there to hash. */
  hashOrNone(field: string, text: string): string;
  /** A secret: present and bounded; its content is judged elsewhere and never shown. */
  credential(field: string, text: string): string;
  /** Characters at most. Control characters are refused, so that a text can be logged and shown. */
  text(field: string, text: string, lengthMax: number): string;
  atMost(field: string, number: number, max: number): number;
  list<Item, Made>(field: string, items: readonly Item[], max: number, make: (item: Item) => Made): Made[];
  /** A message field or a case that must be there. */
  required<T>(field: string, value: T | undefined): T;
  fail<T>(problem: string): T;
}

/** Bytes of one secret: tokens are a few hundred, a projected service account token is up to about 2 KiB. */
export const CREDENTIAL_LENGTH_MAX = 8_192;
/** Visible ASCII: what a token or a header may hold. */
const CREDENTIAL = /^[\x21-\x7e]+$/;

/** Whether it may be one at all, as every port asks before anybody looks at what it proves. */
export const isCredential = (text: string): boolean => CREDENTIAL.test(text) && text.length <= CREDENTIAL_LENGTH_MAX;
const NONCE = /^[A-Za-z0-9_-]{22}$/;
const HASH = /^[0-9a-f]{64}$/;
const HOST = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const CONTROL = /\p{Cc}/u;
const RANGE_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** What went wrong with the first value that was wrong, one sentence for people, without the value of a secret. */
export type Problem = string;

class Missing extends Error {}

export function checked<T>(make: (check: Check) => T): Result<T, Problem> {
  let problem: Problem | undefined;
  const note = (what: Problem): void => {
    problem ??= what;
  };
  const holds = <V>(is: boolean, field: string, value: V, what: string): V => {
    if (!is) note(`${field} ${what}`);
    return value;
  };
  const named = <V>(field: string, parsed: Result<V, string>): V => {
    if (parsed.ok) return parsed.value;
    note(`${field}: ${parsed.error}`);
    return undefined as V;
  };
  const check: Check = {
    id: <Id extends string>(field: string, text: string) => holds(isId(text), field, text as Id, 'is not a valid id'),
    idOrNone: <Id extends string>(field: string, text: string) => (text === '' ? undefined : check.id<Id>(field, text)),
    workspace: (field, text) => named(field, parseWorkspaceId(text)),
    sandbox: (field, text) => named(field, parseSandboxName(text)),
    service: (field, text) => named(field, parseServiceName(text)),
    host: (field, text) =>
      holds(text.length <= HOST_LENGTH_MAX && HOST.test(text), field, text as Host, 'is not a host name in lower case'),
    port: (field, port) => holds(isPort(port), field, port, 'is not a port from 1 to 65535'),
    portOrZero: (field, port) => holds(port === 0 || isPort(port), field, port, 'is not a port from 0 to 65535'),
    epoch: <E extends bigint>(field: string, number: bigint) => holds(number > 0n, field, number as E, 'is missing'),
    epochOrZero: <E extends bigint>(field: string, number: bigint) => holds(number >= 0n, field, number as E, 'is negative'),
    sequence: (field, number) => holds(number >= 0n && number <= RANGE_MAX, field, Number(number), 'is out of range'),
    nonce: (field, text) => holds(NONCE.test(text), field, text as Nonce, 'is not 128 bits in base64url'),
    hash: (field, text) => holds(HASH.test(text), field, text, 'is not a SHA-256 in hexadecimal'),
    hashOrNone: (field, text) => (text === '' ? text : check.hash(field, text)),
    credential: (field, text) => holds(isCredential(text), field, text, 'is missing or is no token'),
    text(field, text, lengthMax) {
      holds(!CONTROL.test(text), field, text, 'holds control characters');
      return holds(text.length <= lengthMax, field, text, `is longer than ${lengthMax} characters`);
    },
    atMost: (field, number, max) => holds(number >= 0 && number <= max, field, number, `is not from 0 to ${max}`),
    list(field, items, max, make) {
      holds(items.length <= max, field, items, `has ${items.length} entries, at most ${max} are taken`);
      return problem === undefined ? items.map(make) : [];
    },
    required(field, value) {
      if (value === undefined) throw new Missing(`${field} is missing`);
      return value;
    },
    fail: <V>(what: Problem): V => {
      note(what);
      return undefined as V;
    },
  };
  try {
    const value = make(check);
    return problem === undefined ? ok(value) : err(problem);
  } catch (error) {
    // The rest of a message cannot be read without the part that is missing.
    if (error instanceof Missing) return err(problem ?? error.message);
    throw error;
  }
}

/** `checked` for what arrives in a call: the problem is a refusal of it. */
export function admitted<T>(make: (check: Check) => T): Result<T, Failure> {
  const read = checked(make);
  return read.ok ? read : err(failure('malformed', read.error));
}

/** Decodes and reads: bytes that are no such message are a problem as well, not a throw. */
export function checkedBytes<Message, T>(
  decode: (bytes: Uint8Array) => Message,
  bytes: Uint8Array,
  make: (check: Check, message: Message) => T,
): Result<T, Problem> {
  let message: Message;
  try {
    message = decode(bytes);
  } catch {
    return err('the bytes are not such a message');
  }
  return checked((check) => make(check, message));
}
