import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { CHART } from './helm.ts';

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as Schema;
const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as object;
const DOCUMENT = join(import.meta.dirname, '../../docs/kubernetes.md');

interface Leaf {
  readonly path: string;
  readonly description: string | undefined;
  readonly otherwise: unknown;
}

/** Every value that can be set, in the order of the schema. */
function leavesOf({ properties = {} }: Schema, defaults: unknown, path = ''): readonly Leaf[] {
  return Object.entries(properties)
    .filter(([name]) => path !== '' || name !== 'global')
    .flatMap(([name, each]) => {
      const here = path === '' ? name : `${path}.${name}`;
      const otherwise = (defaults as Record<string, unknown> | undefined)?.[name];
      if (each.properties !== undefined) return leavesOf(each, otherwise, here);
      return [{ path: here, description: each.description, otherwise }];
    });
}

/** Every value that has a default. */
function pathsOf(defaults: unknown, leaves: ReadonlySet<string>, path = ''): readonly string[] {
  if (leaves.has(path) || typeof defaults !== 'object' || defaults === null || Array.isArray(defaults)) return [path];
  return Object.entries(defaults).flatMap(([name, value]) => pathsOf(value, leaves, path === '' ? name : `${path}.${name}`));
}

const leaves = leavesOf(schema, values);

test('each value has a meaning and a default, and each default is of a value', () => {
  expect(leaves.filter(({ description, otherwise }) => description === undefined || otherwise === undefined)).toEqual([]);
  const known = new Set(leaves.map(({ path }) => path));
  expect([...pathsOf(values, known)].sort()).toEqual([...known].sort());
});

/** With `npm test -- deploy/testing/values.test.ts -u` the document takes the table as it is now. */
test('docs/kubernetes.md has the table of all of them', async () => {
  const [begin, end] = ['<!-- values: written from values.yaml and its schema by a test -->\n', '<!-- end of values -->'];
  const text = readFileSync(DOCUMENT, 'utf8');
  expect(text).toContain(begin);
  expect(text).toContain(end);
  const rows = leaves.map(
    ({ path, description = '', otherwise }) => `| \`${path}\` | ${shown(otherwise)} | ${description.replaceAll('|', '\\|')} |`,
  );
  const table = ['| value | default | |', '|---|---|---|', ...rows].join('\n');
  await expect(
    `${text.slice(0, text.indexOf(begin) + begin.length)}${table}\n${text.slice(text.indexOf(end))}`,
  ).toMatchFileSnapshot(DOCUMENT);
});

const shown = (value: unknown): string =>
  value === '' ? '' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
