import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** A refused call, as a server tells of it. Names come from closed sets; the message is what the caller was told. */
export interface Refused {
  readonly path: string;
  readonly status: string;
  readonly message: string;
  readonly address: string;
}

/** What no honest caller provokes: worth a look. The rest is everyday, such as a name that is not there. */
const SUSPICIOUS = new Set([
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'INVALID_ARGUMENT',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
]);

/** Counts every refused call of a component and writes one line for it. */
export function createRefusals(component: string, metrics: Metrics, log: Log): (refused: Refused) => void {
  const refusedCalls = metrics.counter(
    `sallyport_${component}_calls_refused_total`,
    'Calls that ended with another status than OK, by method and status.',
    ['method', 'status'],
  );
  return ({ path, status, message, address }) => {
    refusedCalls.add(1, { method: path.slice(path.lastIndexOf('/') + 1), status });
    log[SUSPICIOUS.has(status) ? 'warn' : 'debug']({ path, status, address, reason: message }, 'call refused');
  };
}
