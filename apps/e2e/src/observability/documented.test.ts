import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { documentedMetrics, documentedRuntimeMetrics, observabilityPage } from '../testing/observability/documented.ts';
import { type Exported, exportedByAll } from '../testing/observability/exported.ts';

/** The tables of docs/observability.md against what the apps really export. */
let exported: ReadonlyMap<string, readonly Exported[]>;
let page: string;
beforeAll(async () => {
  [exported, page] = await Promise.all([exportedByAll(), readFile(observabilityPage, 'utf8')]);
});

const isRuntime = ({ name }: Exported): boolean => /^(nodejs|process)_/.test(name);
const isOfEvery = ({ name }: Exported): boolean => name.startsWith('sallyport_process_');
const sorted = (metrics: readonly Exported[]): readonly Exported[] => [...metrics].sort((a, b) => (a.name < b.name ? -1 : 1));

describe.each(['supervisor', 'gateway', 'driver', 'discovery', 'edge', 'boundary'])('the %s', (app) => {
  const of = (): readonly Exported[] => exported.get(app) ?? [];
  test('exports what is documented of it, and nothing else', () => {
    const own = of().filter((metric) => !isRuntime(metric) && !isOfEvery(metric));
    expect(sorted(own)).toEqual(sorted(documentedMetrics(page).get(app) ?? []));
  });
  test('exports what every process does', () => {
    expect(sorted(of().filter(isOfEvery))).toEqual(sorted(documentedMetrics(page).get('every process') ?? []));
  });
  test("exports Node's own metrics as they are listed", () => {
    const names = of().filter(isRuntime);
    expect(names.map(({ name }) => name).sort()).toEqual([...documentedRuntimeMetrics(page)].sort());
  });
});

test('no other app is documented', () => {
  expect([...documentedMetrics(page).keys()].sort()).toEqual([...exported.keys(), 'every process'].sort());
});
