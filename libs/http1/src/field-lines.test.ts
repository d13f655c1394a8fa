import { expect, test } from 'vitest';
import { FIELD } from './field-kind.ts';
import { type FieldLines, readFieldLines, TOO_MANY_FIELDS } from './field-lines.ts';

function read(text: string, countMax = 3): FieldLines | string {
  const lines: FieldLines = { fields: [], kinds: [], seen: 0 };
  const fault = readFieldLines(text, 0, lines, countMax);
  return fault === '' ? lines : fault;
}

test('fields come with their kinds, and the set of these', () => {
  expect(read('Host: a\r\nX: 1\r\n\r\n')).toEqual({
    fields: ['Host', 'a', 'X', '1'],
    kinds: [FIELD.host, FIELD.plain],
    seen: (1 << FIELD.host) | (1 << FIELD.plain),
  });
});

test('no field at all', () => expect(read('\r\n')).toEqual({ fields: [], kinds: [], seen: 0 }));

const rows: [title: string, text: string, fault: string][] = [
  ['too many', 'A:\r\nB:\r\nC:\r\nD:\r\n\r\n', TOO_MANY_FIELDS],
  ['an empty line that is not the end', 'A: 1\r\n\r\nB: 2\r\n\r\n', 'a bare CR'],
  ['no empty line', 'A: 1\r\n', 'a field name that is no token'],
  ['text that stops in a name', 'A', 'a field name that is no token'],
  ['text that stops in a value', 'A: 1', 'a control byte in a field value'],
];
test.each(rows)('refuses %s', (_title, text, fault) => expect(read(text)).toBe(fault));
