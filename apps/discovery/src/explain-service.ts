import { type ExplainedClause, explainHost, inScope, type Scope } from '@sallyport/catalog';
import { err, type Failure, failure, normaliseHost, ok, type Result } from '@sallyport/model';
import { admitted, discoveryV1, recordMessage } from '@sallyport/wire';
import type { Reader } from './readers.ts';
import type { WatchOptions } from './watch.ts';

const { ClauseState } = discoveryV1;
const STATES: Record<ExplainedClause['state'], discoveryV1.ClauseState> = {
  holds: ClauseState.CLAUSE_STATE_HOLDS,
  fails: ClauseState.CLAUSE_STATE_FAILS,
  'not-reached': ClauseState.CLAUSE_STATE_NOT_REACHED,
};
const HOST_TEXT_MAX = 254;
const PRINCIPAL_MAX = 100;
const NOTHING: Scope = new Set();

type ExplainOptions = Pick<WatchOptions, 'view' | 'readers' | 'clock' | 'urls'>;

export function explainFor(
  reader: Reader,
  request: discoveryV1.ExplainRequest,
  { view, readers, clock, urls }: ExplainOptions,
): Result<discoveryV1.ExplainResponse, Failure> {
  const asked = admitted((check) => ({
    host: check.host('host', normaliseHost(check.text('host', request.host, HOST_TEXT_MAX))),
    principal: check.text('principal', request.principal, PRINCIPAL_MAX),
  }));
  if (!asked.ok) return asked;
  const { host, principal } = asked.value;
  if (principal !== '' && principal !== reader.principal && !reader.isOperator)
    return err(failure('forbidden', 'only operators may ask what others see'));
  const scope = reader.scope();
  const now = clock.now();
  const explained = explainHost({
    ...{ world: view.world, evidence: view.evidence, now, host, scope },
    reader:
      principal !== ''
        ? { principal, scope: readers.grantOf(principal) ?? NOTHING }
        : reader.isOperator
          ? undefined
          : { principal: reader.principal, scope },
  });
  const { published, about, clauses } = explained;
  const isSeen = published !== undefined && inScope(scope, published.workspace);
  const record = (): discoveryV1.Record | undefined => {
    if (published === undefined || !isSeen) return undefined;
    const { until, ...rest } = published;
    return recordMessage(urls.timed({ record: rest, ttlMs: Math.floor(until - now) }));
  };
  return ok({
    host,
    published: isSeen,
    record: record(),
    workspace: about?.workspace ?? '',
    sandbox: about?.sandbox ?? '',
    service: about?.service ?? '',
    clauses: clauses.map(({ name, state, detail, nextStep }) => ({ name, state: STATES[state], detail, nextStep })),
  });
}
