import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MEASURED_ELSEWHERE } from '../data-plane/measured.ts';
import { allRows } from './tables.ts';

/** Where the specification lies beside the checkout that is being worked on; elsewhere its count stands for it. */
const SPECIFICATION = new URL('../../../../../shared/cases/http.md', import.meta.url);
const ROW_COUNT = 251;
const NEIGHBOUR = /-n\d+$/;

const ids = [...allRows.map(({ id }) => id), ...MEASURED_ELSEWHERE];
const specified = ids.filter((id) => !NEIGHBOUR.test(id));

test('no id is used twice', () => {
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test('every row of the specification is a test', () => {
  expect(specified.length).toBe(ROW_COUNT);
  if (!existsSync(SPECIFICATION)) return;
  const wanted = [...readFileSync(SPECIFICATION, 'utf8').matchAll(/^\| ([a-z]+-\d+) \|/gm)].map(([, id]) => id);
  expect(specified.toSorted()).toEqual(wanted.toSorted());
});

test('each of them has neighbours enough', () => {
  expect(ids.length - specified.length).toBeGreaterThanOrEqual(150);
});
