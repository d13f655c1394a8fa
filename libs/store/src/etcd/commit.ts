import { assert, type StoreRevision } from '@sallyport/model';
import { checkTransaction } from '../limits.ts';
import type { CommitOutcome, Transaction } from '../port.ts';
import type { Caller } from './call.ts';
import { revisionOf } from './entries.ts';
import { CallFailure } from './failure.ts';
import { failedOf, requestOf } from './transaction.ts';
import type { Witness } from './witness.ts';

/** Sent once. Whatever is not etcd's plain answer to it is `unknown`. */
export function createCommit(caller: Caller, witness: Witness): (transaction: Transaction) => Promise<CommitOutcome> {
  return async (transaction) => {
    checkTransaction(transaction);
    const request = requestOf(transaction);
    const answer = await caller.once((etcd, options) => etcd.kv.txn(request, options));
    if (answer instanceof CallFailure) return failed(answer);
    const revision = revisionOf(answer.header.revision);
    if (answer.succeeded) return { kind: 'committed', revision };
    const blamed = failedOf(answer, transaction.guards);
    assert(blamed.length > 0, 'a refused transaction has a guard that failed');
    return { kind: 'refused', revision, failed: blamed };
  };

  function failed({ kind, message }: CallFailure): CommitOutcome {
    // etcd looks for the leases only after the guards have held. The error carries no revision: at least this one it was.
    if (kind === 'no-lease') return { kind: 'refused', revision: witness.newest() as StoreRevision, failed: [] };
    // Within our limits and past the server's: it was started with smaller ones than its defaults.
    if (kind === 'invalid') throw new RangeError(message);
    return { kind: 'unknown', message };
  }
}
