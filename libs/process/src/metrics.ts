import * as prom from 'prom-client';
import { createCells } from './cells.ts';

/** How much of something happened; only rises. */
export interface Counter<L extends string> {
  add(by: number, ...labels: LabelsOf<L>): void;
}
export interface Gauge<L extends string> {
  set(value: number, ...labels: LabelsOf<L>): void;
  add(by: number, ...labels: LabelsOf<L>): void;
}
/** A distribution: durations in seconds, sizes in bytes. */
export interface Histogram<L extends string> {
  observe(value: number, ...labels: LabelsOf<L>): void;
}

/** Every label, or nothing where a metric has none. Label values come from closed sets, never from clients' input. */
type LabelsOf<L extends string> = [L] extends [never] ? [] : [labels: Readonly<Record<L, string>>];

/**
 * The metrics of one process. Names are `sallyport_<component>_<what>_<unit>`, counters end in `_total`, durations are
 * in `seconds`, sizes in `bytes`, as Prometheus asks. A name may be made once.
 */
export interface Metrics {
  counter<const L extends string = never>(name: string, help: string, labels?: readonly L[]): Counter<L>;
  gauge<const L extends string = never>(name: string, help: string, labels?: readonly L[]): Gauge<L>;
  /** A gauge that is asked when it is scraped. */
  observed(name: string, help: string, read: () => number): void;
  histogram<const L extends string = never>(
    name: string,
    help: string,
    buckets: readonly number[],
    labels?: readonly L[],
  ): Histogram<L>;
  /** Prometheus' text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** From 1 ms to 30 s: what a request takes. */
export const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

/** Observations that are told to prom-client in one go: one by one, each finds that code cold, which is a twentieth of a new connection. */
const BATCH_MAX = 128;

const NAME = /^sallyport_[a-z][a-z0-9]*(_[a-z0-9]+)+$/;

export interface MetricsOptions {
  /** Also Node's own: memory, garbage collection, event-loop lag, handles. They are the whole process's. */
  readonly runtime?: boolean;
}

export function createMetrics({ runtime = false }: MetricsOptions = {}): Metrics {
  const registry = new prom.Registry();
  if (runtime) prom.collectDefaultMetrics({ register: registry });

  const base = <L extends string>(name: string, help: string, labels: readonly L[]) => {
    if (!NAME.test(name)) throw new Error(`metric "${name}" is not named sallyport_<component>_<what>_<unit>`);
    return { name, help, labelNames: [...labels], registers: [registry] };
  };
  return {
    counter(name, help, labels = []) {
      if (!name.endsWith('_total')) throw new Error(`counter "${name}" does not end in _total`);
      const cells = createCells(labels, (of) => ({ labels: of, sum: 0 }));
      const counter = new prom.Counter<string>({
        ...base(name, help, labels),
        collect() {
          for (const cell of cells.all()) {
            this.inc(cell.labels, cell.sum);
            cell.sum = 0;
          }
        },
      });
      return {
        add(by, ...[given]) {
          // Said here: prom-client would say it at every scrape, of which nothing would come any more.
          if (!(by >= 0 && by < Number.POSITIVE_INFINITY)) throw new Error(`counter "${name}" cannot rise by ${by}`);
          if (given === undefined) counter.inc(by);
          else cells.at(given).sum += by;
        },
      };
    },
    gauge(name, help, labels = []) {
      const gauge = new prom.Gauge<string>(base(name, help, labels));
      return {
        set: (value, ...[given]) => (given === undefined ? gauge.set(value) : gauge.set(given, value)),
        add: (by, ...[given]) => (given === undefined ? gauge.inc(by) : gauge.inc(given, by)),
      };
    },
    observed(name, help, read) {
      new prom.Gauge({
        ...base(name, help, []),
        collect() {
          this.set(read());
        },
      });
    },
    histogram(name, help, buckets, labels = []) {
      const cells = createCells(labels, (of) => ({ labels: of, values: new Float64Array(BATCH_MAX), count: 0 }));
      type Cell = ReturnType<typeof cells.at>;
      const histogram = new prom.Histogram<string>({
        ...base(name, help, labels),
        buckets: [...buckets],
        collect: () => cells.all().forEach(tell),
      });
      function tell(cell: Cell): void {
        for (let at = 0; at < cell.count; at += 1) histogram.observe(cell.labels, cell.values[at] as number);
        cell.count = 0;
      }
      return {
        observe(value, ...[given]) {
          // As with counters: prom-client would throw for this one among others, later.
          if (!Number.isFinite(value)) throw new Error(`histogram "${name}" cannot observe ${value}`);
          if (given === undefined) return histogram.observe(value);
          const cell = cells.at(given);
          cell.values[cell.count] = value;
          cell.count += 1;
          if (cell.count === BATCH_MAX) tell(cell);
        },
      };
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
