import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { root } from '../start/root.mjs';

export const readJson = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** By value: how a JSON file is laid out is the formatter's business. Order of keys counts, they are for reading. */
export function sameJson(file, wanted) {
  if (!existsSync(join(root, file))) return false;
  const present = readJson(file);
  return isDeepStrictEqual(present, wanted) && JSON.stringify(present) === JSON.stringify(wanted);
}

/** One member a line and everything below it in one; the formatter breaks what is too long. */
export function jsonText(value) {
  const members = Object.entries(value).map(([key, member]) => `  ${JSON.stringify(key)}: ${inline(member)}`);
  return `{\n${members.join(',\n')}\n}\n`;
}

function inline(value) {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${inline(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
