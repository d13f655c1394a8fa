import type { Rule } from '../rules.ts';

/**
 * The strict reader: HTTP/1.1 by the grammar of RFC 9112, on a whole string (latin1) at once. It shares no line with the
 * codec and none of its ways (no state, no increments), so that a mistake would have to be made twice to go unseen.
 */
export type FieldLine = readonly [name: string, value: string];

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const FIELD = new RegExp(`^(${TOKEN}):[ \\t]*(.*?)[ \\t]*$`, 's');
// biome-ignore lint/suspicious/noControlCharactersInRegex: the very thing that is looked for
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;
const LONE = /\r(?!\n)|(?<!\r)\n/;

export const isToken = (text: string): boolean => new RegExp(`^${TOKEN}$`).test(text);

/** The lines of a section without its final empty line. Looked at before anything else: without lines there is nothing. */
export function splitLines(section: string): string[] | Rule {
  return LONE.test(section) ? 'line-end' : section.split('\r\n');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the very thing that is looked for
const NEVER = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/** Why the beginning of a section can no longer become good, whatever follows. A CR at its end may still get its LF. */
export function hopeless(part: string): Rule | undefined {
  if (LONE.test(part.replace(/\r$/, ''))) return 'line-end';
  return NEVER.test(part) ? 'control-byte' : undefined;
}

export function readFields(lines: readonly string[], countMax: number): FieldLine[] | Rule {
  const fields: FieldLine[] = [];
  for (const line of lines) {
    if (fields.length === countMax) return 'size';
    if (/^[ \t]/.test(line)) return 'obs-fold';
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) return 'field-line';
    if (CONTROL.test(value)) return 'control-byte';
    fields.push([name, value]);
  }
  return fields;
}

export const valuesOf = (fields: readonly FieldLine[], name: string): string[] =>
  fields.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);

/** The members of all fields of a name, in lower case (RFC 9110 section 5.6.1). */
export const membersOf = (fields: readonly FieldLine[], name: string): string[] =>
  valuesOf(fields, name)
    .join(',')
    .toLowerCase()
    .split(',')
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ''));

/** RFC 9112 section 9.3. */
export function livesOn(minor: number, fields: readonly FieldLine[]): boolean {
  const tokens = membersOf(fields, 'connection');
  return !tokens.includes('close') && (minor === 1 || tokens.includes('keep-alive'));
}

export type Framing =
  | { readonly kind: 'none' | 'chunked' | 'until-close' }
  | { readonly kind: 'length'; readonly length: number };

/** RFC 9112 section 6.3, with everything refused that it leaves to a reader. `absent`: what no framing field means. */
export function framingOf(fields: readonly FieldLine[], minor: number, absent: 'none' | 'until-close'): Framing | Rule {
  const lengths = valuesOf(fields, 'content-length');
  const codings = valuesOf(fields, 'transfer-encoding');
  if (lengths.length > 0 && codings.length > 0) return 'length-and-coding';
  if (codings.length > 0)
    return codings.length === 1 && codings[0]?.toLowerCase() === 'chunked' && minor === 1 ? { kind: 'chunked' } : 'coding';
  if (lengths.length === 0) return { kind: absent };
  const length = Number(lengths[0]);
  if (lengths.length > 1 || !/^\d{1,16}$/.test(lengths[0] ?? '') || !Number.isSafeInteger(length)) return 'content-length';
  return { kind: 'length', length };
}
