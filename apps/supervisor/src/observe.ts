import { DURATION_BUCKETS_SECONDS, type Metrics } from '@sallyport/process';
import type { ConnectionEvent, ExchangeRecord, Instances } from '@sallyport/proxy';

/** What the data plane counts. */
export interface ExchangeMetrics {
  exchange(record: ExchangeRecord): void;
  connection(event: ConnectionEvent): void;
}

export function createExchangeMetrics(metrics: Metrics, instances: Instances): ExchangeMetrics {
  const exchanges = metrics.counter(
    'sallyport_proxy_exchanges_total',
    'Requests and tunnels that have ended, by kind and ending.',
    ['kind', 'ending'],
  );
  const refusals = metrics.counter('sallyport_proxy_refusals_total', 'Answers of the proxy itself, by code.', ['code']);
  const connections = metrics.counter('sallyport_proxy_connection_events_total', 'What happened to client connections.', [
    'event',
  ]);
  const durations = metrics.histogram(
    'sallyport_proxy_exchange_duration_seconds',
    'From the head of a request to the end of its answer.',
    DURATION_BUCKETS_SECONDS,
    ['kind'],
  );
  const bytes = metrics.counter('sallyport_proxy_body_bytes_total', 'Bytes of bodies and tunnels, by direction.', ['direction']);
  metrics.observed('sallyport_proxy_live_streams', 'Exchanges and tunnels now.', () =>
    instances.all().reduce((sum, instance) => sum + instance.counters().liveStreamCount, 0),
  );
  metrics.observed('sallyport_supervisor_instances', 'Sandboxes hosted now.', () => instances.all().length);
  return {
    exchange(record) {
      exchanges.add(1, { kind: record.kind, ending: record.ending });
      if (record.code !== undefined) refusals.add(1, { code: record.code });
      durations.observe(record.durationMs / 1_000, { kind: record.kind });
      bytes.add(record.bytesIn, { direction: 'in' });
      bytes.add(record.bytesOut, { direction: 'out' });
    },
    connection: (event) => connections.add(1, { event }),
  };
}
