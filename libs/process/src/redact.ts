/**
 * Keeps secrets out of the log, whoever logs them and however deep. Two nets: values under names that mean secrets, and
 * texts that look like one. Names count by their last word, so that `tokenFile` (a path) and `credentialEpoch` (a
 * number) stay readable.
 */
const SECRET_NAME =
  /(?:authorization|cookies?|tokens?|credentials?|secrets?|passwords?|passphrase|assertion|jwt|(?:private|signing|encryption|tls|api|shared)keys?(?:pem)?|^keys?|^pfx)$/;
const SECRET_TEXT =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)|\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*|\b(?:Bearer|Basic)\s+[\w.~+/=-]+/gi;
const REDACTED = '[redacted]';
/** Log fields are small; what is deeper is a mistake, and a cycle would never end. */
const DEPTH_MAX = 6;

/** Field names are few and come with every line. A bound all the same, should somebody log names from outside. */
const judged = new Map<string, boolean>();
const JUDGED_MAX = 1_000;

export function isSecretName(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const secret = SECRET_NAME.test(name.toLowerCase().replaceAll(/[-_]/g, ''));
  if (judged.size < JUDGED_MAX) judged.set(name, secret);
  return secret;
}

/** Nothing shorter holds a secret of these shapes; most fields are ids and methods. */
const SECRET_TEXT_MIN = 'Basic x'.length;

export const redactText = (text: string): string => (text.length < SECRET_TEXT_MIN ? text : text.replace(SECRET_TEXT, REDACTED));

/** A copy of log fields without secrets; bigints become text, since JSON has none. */
export function redactFields(fields: Readonly<Record<string, unknown>>, depth = 0): Record<string, unknown> {
  const clean: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields))
    clean[name] = isSecretName(name) ? hide(value) : redactValue(value, depth + 1);
  return clean;
}

/** Numbers under a secret's name are epochs and counts, and an absent secret is worth knowing. */
function hide(value: unknown): unknown {
  if (value === undefined || value === null || typeof value === 'boolean' || typeof value === 'number') return value;
  return typeof value === 'bigint' ? String(value) : REDACTED;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return describeError(value, depth);
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= DEPTH_MAX) return '[too deep]';
  if (Array.isArray(value)) return value.map((each) => redactValue(each, depth + 1));
  return redactFields(value as Record<string, unknown>, depth);
}

/** As one object for the log: what it is, says and was caused by. */
export function describeError(error: Error, depth = 0): Record<string, unknown> {
  const { code } = error as NodeJS.ErrnoException;
  return {
    type: error.name,
    message: redactText(error.message),
    ...(code === undefined ? {} : { code }),
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...(error.cause === undefined || depth >= DEPTH_MAX ? {} : { cause: redactValue(error.cause, depth + 1) }),
  };
}
