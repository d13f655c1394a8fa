import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

test('prints counters, gauges and histograms for Prometheus', async () => {
  const metrics = createMetrics();
  const requests = metrics.counter('sallyport_proxy_requests_total', 'Requests.', ['code']);
  requests.add(1, { code: '200' });
  requests.add(2, { code: '200' });
  const live = metrics.gauge('sallyport_proxy_streams_count', 'Streams.');
  live.add(3);
  live.add(-1);
  metrics.observed('sallyport_store_entries_count', 'Entries.', () => 42);
  metrics.histogram('sallyport_proxy_request_duration_seconds', 'Durations.', [0.1, 1]).observe(0.5);
  const text = await metrics.text();
  expect(text).toContain('sallyport_proxy_requests_total{code="200"} 3\n');
  expect(text).toContain('sallyport_proxy_streams_count 2\n');
  expect(text).toContain('sallyport_store_entries_count 42\n');
  expect(text).toContain('sallyport_proxy_request_duration_seconds_bucket{le="0.1"} 0\n');
  expect(text).toContain('sallyport_proxy_request_duration_seconds_bucket{le="1"} 1\n');
  expect(text).toContain('# TYPE sallyport_proxy_requests_total counter');
});

test('a counter adds up by all its labels, between scrapes and across them', async () => {
  const metrics = createMetrics();
  const ended = metrics.counter('sallyport_a_b_total', 'X.', ['kind', 'ending']);
  const lines = async (): Promise<string[]> =>
    (await metrics.text()).split('\n').filter((line) => line.startsWith('sallyport_a_b'));
  expect(await lines()).toEqual([]);
  ended.add(1, { kind: 'http', ending: 'complete' });
  ended.add(0, { kind: 'http', ending: 'refused' });
  ended.add(2, { ending: 'complete', kind: 'tunnel' });
  const first = [
    'sallyport_a_b_total{kind="http",ending="complete"} 1',
    'sallyport_a_b_total{kind="http",ending="refused"} 0',
    'sallyport_a_b_total{kind="tunnel",ending="complete"} 2',
  ];
  expect([await lines(), await lines()]).toEqual([first, first]);
  ended.add(3, { kind: 'tunnel', ending: 'complete' });
  expect(await lines()).toEqual([...first.slice(0, 2), 'sallyport_a_b_total{kind="tunnel",ending="complete"} 5']);
});

test('a histogram has every observation at each scrape, however many there were between', async () => {
  const metrics = createMetrics();
  const took = metrics.histogram('sallyport_a_b_seconds', 'X.', [1, 10], ['kind']);
  const lines = async (): Promise<string[]> =>
    (await metrics.text()).split('\n').filter((line) => /^sallyport_a_b_seconds\w+{.*kind="http"/.test(line));
  const seen = (upTo1: number, upTo10: number, all: number, sum: number): string[] => [
    `sallyport_a_b_seconds_bucket{le="1",kind="http"} ${upTo1}`,
    `sallyport_a_b_seconds_bucket{le="10",kind="http"} ${upTo10}`,
    `sallyport_a_b_seconds_bucket{le="+Inf",kind="http"} ${all}`,
    `sallyport_a_b_seconds_sum{kind="http"} ${sum}`,
    `sallyport_a_b_seconds_count{kind="http"} ${all}`,
  ];
  expect(await lines()).toEqual([]);
  took.observe(0.5, { kind: 'http' });
  took.observe(3, { kind: 'tunnel' });
  expect([await lines(), await lines()]).toEqual([seen(1, 1, 1, 0.5), seen(1, 1, 1, 0.5)]);
  for (let count = 0; count < 1_000; count += 1) took.observe(2, { kind: 'http' });
  took.observe(20, { kind: 'http' });
  expect(await lines()).toEqual(seen(1, 1_001, 1_002, 2_020.5));
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])('a histogram refuses %d, and keeps what it has', async (value) => {
  const metrics = createMetrics();
  const took = metrics.histogram('sallyport_a_b_seconds', 'X.', [1], ['kind']);
  took.observe(1, { kind: 'http' });
  expect(() => took.observe(value, { kind: 'http' })).toThrow('cannot observe');
  expect(await metrics.text()).toContain('sallyport_a_b_seconds_count{kind="http"} 1');
});

test('a counter without labels shows before anything happened', async () => {
  const metrics = createMetrics();
  metrics.counter('sallyport_gateway_sessions_total', 'Sessions.');
  expect(await metrics.text()).toContain('sallyport_gateway_sessions_total 0');
});

test('label values cannot break the format', async () => {
  const metrics = createMetrics();
  metrics.counter('sallyport_a_b_total', 'X.', ['code']).add(1, { code: 'a"\n} 1\nfake' });
  expect(await metrics.text()).toContain('{code="a\\"\\n} 1\\nfake"} 1');
});

test("adds Node's own on request", async () => {
  expect(await createMetrics({ runtime: true }).text()).toContain('nodejs_eventloop_lag_seconds');
  expect(await createMetrics().text()).not.toContain('nodejs_');
});

test.each([
  ['requests_total', /is not named/],
  ['sallyport_Proxy_requests_total', /is not named/],
  ['sallyport_requests', /is not named|_total/],
  ['sallyport_proxy_requests', /does not end in _total/],
])('refuses to count %s', (name, error) => expect(() => createMetrics().counter(name, 'X.')).toThrow(error));

test('refuses one name twice', () => {
  const metrics = createMetrics();
  metrics.gauge('sallyport_a_b_count', 'X.');
  expect(() => metrics.gauge('sallyport_a_b_count', 'X.')).toThrow(/already been registered/);
});
test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])(
  'refuses a counter that rises by %d, and is scraped as before',
  async (by) => {
    const metrics = createMetrics();
    const [plain, coded] = [metrics.counter('sallyport_a_b_total', 'X.'), metrics.counter('sallyport_a_c_total', 'X.', ['code'])];
    expect(() => plain.add(by)).toThrow('cannot rise');
    expect(() => coded.add(by, { code: '1' })).toThrow('cannot rise');
    coded.add(1, { code: '1' });
    expect(await metrics.text()).toContain('sallyport_a_c_total{code="1"} 1');
  },
);
