import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { describePrometheus } from '../testing/needs.ts';
import {
  anchorsIn,
  documentedMetrics,
  documentedRuntimeMetrics,
  observabilityPage,
} from '../testing/observability/documented.ts';
import { usesOf } from '../testing/observability/queries.ts';

/** deploy/monitoring: its queries ask for what there is, its alerts say what to do, and promtool finds them to fire when they must. */

const at = (name: string): string => fileURLToPath(new URL(`../../../../deploy/monitoring/${name}`, import.meta.url));
const page = await readFile(observabilityPage, 'utf8');
const known = new Map<string, ReadonlySet<string>>();
for (const metrics of documentedMetrics(page).values())
  for (const { name, type, labels } of metrics)
    for (const [series, more] of type === 'histogram' ? HISTOGRAM_SERIES(name) : [[name, []] as const])
      known.set(series, new Set([...labels, ...more]));
for (const name of documentedRuntimeMetrics(page)) known.set(name, new Set());

function HISTOGRAM_SERIES(name: string): readonly (readonly [string, readonly string[]])[] {
  return [
    [`${name}_bucket`, ['le']],
    [`${name}_count`, []],
    [`${name}_sum`, []],
  ];
}

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
const alerts: readonly Alert[] = parse(await readFile(at('alerts.yaml'), 'utf8')).groups.flatMap(
  ({ rules }: { rules: Alert[] }) => rules,
);
const dashboard = JSON.parse(await readFile(at('dashboard.json'), 'utf8'));
const panels: readonly { title: string; targets?: readonly { expr: string }[]; gridPos: Record<string, number>; id: number }[] =
  dashboard.panels;
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }): [string, string] => [title, expr]));

/** Every metric must be documented, and so exported; every label must be the metric's, or one that Prometheus itself sets. */
function unknownIn(query: string): readonly string[] {
  const { metrics, labels } = usesOf(query);
  const own = new Set(['job', 'instance', ...metrics.flatMap((name) => [...(known.get(name) ?? [])])]);
  return [
    ...metrics.filter((name) => !known.has(name)),
    ...labels.filter((name) => !own.has(name)).map((name) => `label ${name}`),
  ];
}

describe.each(alerts.map((alert): [string, Alert] => [alert.alert, alert]))('%s', (name, alert) => {
  test('asks for what there is', () => expect(unknownIn(alert.expr)).toEqual([]));
  test('says what is so, why that matters, and what to do', () => {
    expect(alert.annotations).toEqual({
      summary: expect.stringMatching(/^.{20,120}\.$/),
      description: expect.stringMatching(/^.{20,200}[.] Next: .{20,200}\.$/),
      runbook_url: `docs/observability.md#${name.toLowerCase()}`,
    });
    expect(alert.labels.severity).toMatch(/^(page|ticket)$/);
  });
  test('has its section among what to do', () => expect(anchorsIn(page)).toContain(name.toLowerCase()));
  test('speaks of labels that its query leaves', () => {
    const spoken = [...JSON.stringify(alert.annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label as string);
    const all = new Set(['job', 'instance', ...usesOf(alert.expr).metrics.flatMap((metric) => [...(known.get(metric) ?? [])])]);
    for (const label of spoken) expect(all).toContain(label);
  });
});

test('no section is left of an alert that there is not', () => {
  const sections = [...page.matchAll(/^### (Sallyport\w+)$/gm)].map(([, name]) => name as string);
  expect(sections).toEqual(alerts.map(({ alert }) => alert));
});

describe('the dashboard', () => {
  test.each(queries)('%s: %s', (_title, query) => expect(unknownIn(query)).toEqual([]));
  test('has room for each panel', () => {
    const taken = new Set<string>();
    for (const { gridPos } of panels)
      for (let x = gridPos.x ?? 0; x < (gridPos.x ?? 0) + (gridPos.w ?? 0); x += 1)
        for (let y = gridPos.y ?? 0; y < (gridPos.y ?? 0) + (gridPos.h ?? 0); y += 1) {
          expect(taken.has(`${x}/${y}`)).toBe(false);
          taken.add(`${x}/${y}`);
        }
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
  test.each([
    ['a metric that there is not', 'rate(sallyport_gateway_wishes_total[5m])', ['sallyport_gateway_wishes_total']],
    ['a label that there is not', 'sum by (sandbox) (sallyport_gateway_sessions)', ['label sandbox']],
    ['a selector by one', 'sallyport_gateway_sessions{workspace="team"}', ['label workspace']],
    [
      'a histogram without its series',
      'sallyport_gateway_commit_duration_seconds',
      ['sallyport_gateway_commit_duration_seconds'],
    ],
    ['a bucket of what is none', 'sallyport_gateway_sessions_bucket', ['sallyport_gateway_sessions_bucket']],
  ])('would be found out with %s', (_title, query, want) => expect(unknownIn(query)).toEqual(want));
});

describePrometheus('promtool', () => {
  const run = promisify(execFile);
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

  test('finds that the alerts fire when they must, and only then', async () => {
    const { stdout } = await run('promtool', ['test', 'rules', at('alerts.test.yaml')]);
    expect(stdout).toMatch(/SUCCESS/);
  });
  test('reads all queries of the dashboard', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-dashboard-'));
    folders.push(folder);
    const rules = queries.map(([, query], index) => ({
      record: `query:${index}`,
      expr: query.replaceAll('$__rate_interval', '5m').replaceAll('$job', '.*'),
    }));
    const file = join(folder, 'rules.json');
    // YAML reads JSON.
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    const { stdout } = await run('promtool', ['check', 'rules', file]);
    expect(stdout).toContain(`SUCCESS: ${queries.length} rules found`);
  });
});

test('each alert is seen to fire, and to stay silent', async () => {
  const tests = parse(await readFile(at('alerts.test.yaml'), 'utf8')).tests as {
    input_series: { series: string }[];
    promql_expr_test: { expr: string; exp_samples: unknown[] }[];
  }[];
  for (const { alert } of alerts) {
    const of = tests.flatMap(({ promql_expr_test, input_series }) =>
      promql_expr_test
        .filter(({ expr }) => expr.includes(`alertname="${alert}"`))
        .map(({ exp_samples }) => ({ fires: exp_samples.length, worlds: input_series.length })),
    );
    expect(
      of.some(({ fires }) => fires > 0),
      `${alert} fires`,
    ).toBe(true);
    expect(
      of.some(({ fires, worlds }) => fires < worlds),
      `${alert} stays silent`,
    ).toBe(true);
  }
});
