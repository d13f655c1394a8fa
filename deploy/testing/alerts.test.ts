import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { describeHelm } from './describe-helm.ts';
import { CHART, NAMESPACE, RELEASE, render } from './helm.ts';
import { parseObjects } from './objects.ts';

const SOURCE = join(import.meta.dirname, '../monitoring/alerts.yaml');
const text = readFileSync(SOURCE, 'utf8');

async function rendered(...values: readonly string[]) {
  const made = await render('--set', 'prometheusRule.enabled=true', ...values.flatMap((each) => ['--set', each]));
  if (!made.ok) throw new Error(made.error);
  return parseObjects(made.text).filter(({ kind }) => kind === 'PrometheusRule');
}

test('the chart has the alerts as they are (else: npm run gen)', () =>
  expect(readFileSync(join(CHART, 'files/alerts.yaml'), 'utf8')).toBe(text));

describeHelm('a PrometheusRule', () => {
  test('is not made unless it is asked for', async () => {
    const made = await render();
    expect(made.ok && made.text.includes('PrometheusRule')).toBe(false);
  });
  test('holds every rule, word for word: no template of an alert is taken for one of the chart', async () => {
    const [rule, ...more] = await rendered('prometheusRule.labels.release=prometheus');
    expect(more).toEqual([]);
    expect(rule).toMatchObject({
      apiVersion: 'monitoring.coreos.com/v1',
      metadata: {
        name: RELEASE,
        namespace: NAMESPACE,
        labels: { release: 'prometheus', 'app.kubernetes.io/instance': RELEASE },
      },
    });
    expect(rule?.spec).toEqual(parse(text));
    expect(JSON.stringify(rule?.spec)).toContain('{{ $labels.');
  });
  test.each(['https://docs.acme.test/doors', 'https://docs.acme.test/doors/'])('links to what to do at %s', async (base) => {
    const [rule] = await rendered(`prometheusRule.runbooks=${base}`);
    const links = [...JSON.stringify(rule?.spec).matchAll(/"runbook_url":"([^"]+)"/g)].map(([, link]) => link as string);
    expect(links.length).toBeGreaterThan(5);
    for (const link of links) expect(link).toMatch(/^https:\/\/docs\.acme\.test\/doors\/observability\.md#sallyport[a-z]+$/);
  });
});
