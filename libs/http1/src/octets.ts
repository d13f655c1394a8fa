/** The octets of HTTP/1.1's grammar (RFC 9110 section 5.6, RFC 5234 appendix B), as tables: one look-up a character. */
export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SP = 0x20;
export const HASH = 0x23;
export const COLON = 0x3a;
export const SEMICOLON = 0x3b;

const tableOf = (has: (octet: number) => boolean): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, octet) => (has(octet) ? 1 : 0));

const TOKEN_CHARACTERS = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** tchar: names of fields and methods. */
export const TOKEN = tableOf((octet) => TOKEN_CHARACTERS.includes(String.fromCharCode(octet)));

/** What may stand in a field value: visible ASCII, blanks, obs-text (0x80 to 0xff). No control byte but the tab. */
export const VALUE = tableOf((octet) => octet === TAB || (octet >= SP && octet !== 0x7f));

/** What may stand in a request target: as a value, without blanks; `#` never travels (RFC 9112 section 3.2). */
export const TARGET = tableOf((octet) => octet > SP && octet !== 0x7f && octet !== HASH);

/** The value of a hexadecimal digit, or 255. */
export const HEX = Uint8Array.from({ length: 256 }, (_, octet) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(octet).toLowerCase());
  return digit === -1 ? 255 : digit;
});

export const isBlank = (octet: number): boolean => octet === SP || octet === TAB;

/** Without the blanks around it. Not `trim`, which takes the no-break space 0xa0 too and so makes `\xa0chunked` a coding. */
export function trimBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

/** The members of a comma-separated list (RFC 9110 section 5.6.1), empty ones included. */
export const listMembers = (value: string): string[] => value.split(',').map(trimBlanks);

/** A whole string of tchar, and at least one. */
export function isToken(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (TOKEN[text.charCodeAt(at)] !== 1) return false;
  return text !== '';
}
