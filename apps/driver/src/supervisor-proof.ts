import { isExclusive, type Pod, podName } from '@sallyport/kube';
import { err, type Failure, failure, ok, type PoolId, type Result } from '@sallyport/model';
import type { Supervisor } from './driver.ts';
import type { ReviewedToken } from './token-review.ts';

export interface ProofView {
  readonly pod: Pod | undefined;
  /** The pool of that Pod's supervisor, or why it has none. */
  readonly pool: Result<PoolId, string>;
  /** `namespace/name` of every service account that supervisors run as. */
  readonly accounts: readonly string[];
}

/**
 * Whether a token that was reviewed proves a supervisor: its account is one of theirs, and its Pod is the very one that is
 * observed, by UID. A workload runs under an account of its own, so its token proves nothing here.
 */
export function proveSupervisor(token: ReviewedToken, { pod, pool, accounts }: ProofView): Result<Supervisor, Failure> {
  const refused = (why: string) => err(failure('unauthenticated', why));
  const account = `${token.namespace}/${token.serviceAccount}`;
  if (!accounts.includes(account)) return refused(`${account} is no service account of supervisors`);
  // It may have been made a moment ago: the supervisor tries again.
  if (pod === undefined || pod.uid !== token.podUid)
    return err(
      failure('not-ready', `Pod ${token.namespace}/${token.podName} with the UID ${token.podUid} is not to be seen (yet)`),
    );
  if (pod.namespace !== token.namespace || pod.name !== token.podName)
    return refused(`the UID ${pod.uid} is that of ${podName(pod)}`);
  if (pod.serviceAccount !== token.serviceAccount) return refused(`Pod ${podName(pod)} runs as ${pod.serviceAccount}`);
  // One that is being deleted still drains, and for that it must be known.
  if (pod.terminal) return refused(`Pod ${podName(pod)} has ended`);
  if (!pool.ok) return refused(`Pod ${podName(pod)}: ${pool.error}`);
  return ok({ supervisorUid: pod.uid, poolId: pool.value, exclusive: isExclusive(pod) });
}
