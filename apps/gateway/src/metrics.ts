import type { Ownership, World } from '@sallyport/authority';
import { type Clock, DURATION_BUCKETS_SECONDS, type Metrics } from '@sallyport/process';
import type { Store } from '@sallyport/store';

/** What operators watch of a gateway. */
export interface GatewayMetrics {
  /** A report was refused by this clause. */
  refused(clause: string): void;
  /** An ownership record was written. */
  owned(to: Ownership['kind']): void;
  /** The store, with its commits counted and timed. */
  measured(store: Store): Store;
  /** What is looked at when it is scraped. */
  observe(facts: GatewayFacts): void;
}

export interface GatewayFacts {
  readonly world: World;
  readonly sessionCount: () => number;
  readonly hasAuthority: () => boolean;
}

export function createGatewayMetrics(metrics: Metrics, clock: Clock): GatewayMetrics {
  const refused = metrics.counter('sallyport_gateway_fence_rejected_total', 'Reports refused, by the clause that refused them.', [
    'clause',
  ]);
  const moves = metrics.counter(
    'sallyport_gateway_ownership_moves_total',
    'Ownership records written by this replica, by what they became: fencing is the loss of an owner.',
    ['to'],
  );
  // Shown before the first one happens: else its rate would not see it.
  for (const to of ['released', 'offered', 'owned', 'fencing'] as const satisfies readonly Ownership['kind'][])
    moves.add(0, { to });
  const commits = metrics.histogram(
    'sallyport_gateway_commit_duration_seconds',
    'Transactions with the store, by outcome: committed, refused (something had moved) or unknown (no answer in time).',
    DURATION_BUCKETS_SECONDS,
    ['outcome'],
  );
  const observed = (name: string, help: string, read: () => number): void =>
    metrics.observed(`sallyport_gateway_${name}`, help, read);
  return {
    refused: (clause) => refused.add(1, { clause }),
    owned: (to) => moves.add(1, { to }),
    measured: (store) => ({
      ...store,
      async commit(transaction) {
        const startedAt = clock.steadyMs();
        const outcome = await store.commit(transaction);
        commits.observe((clock.steadyMs() - startedAt) / 1_000, { outcome: outcome.kind });
        return outcome;
      },
    }),
    observe({ world, sessionCount, hasAuthority }) {
      const owners = (kind: Ownership['kind']): number => {
        let count = 0;
        for (const { value } of world.owners.values()) if (value.kind === kind) count += 1;
        return count;
      };
      observed('sessions', 'Sessions that this replica holds.', sessionCount);
      observed('has_authority', 'Whether this replica may write now: 1 or 0.', () => (hasAuthority() ? 1 : 0));
      observed('sandboxes', 'Sandboxes on record; each replica sees all of them.', () => world.sandboxes.size);
      observed('sandboxes_owned', 'Sandboxes that a supervisor owns.', () => owners('owned'));
      observed('sandboxes_fencing', 'Sandboxes whose owner was lost, and that wait until it can serve no more.', () =>
        owners('fencing'),
      );
      observed('members_ready', 'Supervisors that have joined and take sandboxes.', () =>
        [...world.pools()]
          .flatMap((poolId) => [...world.members(poolId).values()])
          .reduce((count, { value }) => count + (value.ready && !value.draining ? 1 : 0), 0),
      );
    },
  };
}
