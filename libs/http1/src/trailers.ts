import { FIELD } from './field-kind.ts';
import type { FieldLines } from './field-lines.ts';
import type { Fields } from './head.ts';

/**
 * What a trailer section may not carry (RFC 9110 section 6.5.1), besides every kind of field that a rule of ours looks at:
 * fields that frame, route, authenticate, modify the request, or say how to process what has already been processed.
 */
const FORBIDDEN: ReadonlySet<string> = new Set([
  ...['authorization', 'www-authenticate', 'authentication-info', 'proxy-authentication-info', 'cookie'],
  ...[
    'cache-control',
    'pragma',
    'max-forwards',
    'range',
    'if-match',
    'if-none-match',
    'if-modified-since',
    'if-unmodified-since',
    'if-range',
  ],
  ...['content-encoding', 'content-type', 'content-range', 'content-location', 'content-disposition'],
  ...[
    'age',
    'date',
    'expires',
    'location',
    'retry-after',
    'vary',
    'warning',
    'access-control-allow-origin',
    'content-security-policy',
  ],
  ...['x-http-method-override', 'x-original-url', 'x-rewrite-url'],
]);

export const NO_TRAILERS: Fields = [];

/** The trailer fields that may go on. The others are dropped: an application that merged them would obey a late forgery. */
export function keepTrailers({ fields, kinds }: FieldLines, connectionNames: ReadonlySet<string>): Fields {
  if (kinds.length === 0) return NO_TRAILERS;
  const kept: string[] = [];
  for (let i = 0; i < kinds.length; i++) {
    const name = fields[2 * i] ?? '';
    const lower = name.toLowerCase();
    if (kinds[i] !== FIELD.plain || FORBIDDEN.has(lower) || connectionNames.has(lower)) continue;
    kept.push(name, fields[2 * i + 1] ?? '');
  }
  return kept;
}
