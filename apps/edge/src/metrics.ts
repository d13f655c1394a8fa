import { DURATION_BUCKETS_SECONDS, type Log, type Metrics } from '@sallyport/process';
import type { Refusal } from './endings.ts';
import type { Observer } from './surroundings.ts';

/** Everyday: health checks of balancers, clients that change their mind. Logged for whoever looks closely. */
const QUIET: ReadonlySet<Refusal> = new Set(['client-gone', 'draining']);

/** Counts and logs what becomes of connections, each once. */
export function createObserver(metrics: Metrics, log: Log): Observer {
  const refusals = metrics.counter('sallyport_edge_refusals_total', 'Connections that were not passed on, by why.', ['reason']);
  const endings = metrics.counter(
    'sallyport_edge_connections_ended_total',
    'Connections that were passed on, by how they ended.',
    ['ending'],
  );
  const faults = metrics.counter('sallyport_edge_dial_failures_total', 'Dials of supervisors that failed.', ['fault']);
  const acceptFaults = metrics.counter('sallyport_edge_accept_failures_total', 'Connections that the system could not accept.');
  const bytes = metrics.counter('sallyport_edge_bytes_total', 'Bytes that went through; in: from clients.', ['direction']);
  const reached = metrics.histogram(
    'sallyport_edge_reach_seconds',
    'From an accepted connection to the supervisor.',
    DURATION_BUCKETS_SECONDS,
  );
  return {
    refused(record) {
      refusals.add(1, { reason: record.reason });
      log[QUIET.has(record.reason) ? 'debug' : 'info']({ ...record }, 'refused');
    },
    reached: (ms) => reached.observe(ms / 1_000),
    ended(record) {
      endings.add(1, { ending: record.ending });
      log.info({ ...record }, 'connection');
    },
    dialFailed(fault, endpoint) {
      faults.add(1, { fault });
      log.info({ fault, endpoint }, 'a supervisor could not be reached');
    },
    passed(bytesIn, bytesOut) {
      bytes.add(bytesIn, { direction: 'in' });
      bytes.add(bytesOut, { direction: 'out' });
    },
    acceptFailed() {
      acceptFaults.add(1);
      log.warn('a connection could not be accepted: too few file descriptors?');
    },
  };
}
