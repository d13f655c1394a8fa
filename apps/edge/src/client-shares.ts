import { createClientCounts } from '@sallyport/proxy';
import type { Refusal } from './endings.ts';
import type { Limits } from './limits.ts';

/** What each client address has open, so that none takes what is there for all. A trusted balancer itself is not counted. */
export interface ClientShares {
  /** One more connection, which is not passed on yet; or why not, and nothing was counted. */
  enter(address: string): Refusal | undefined;
  /** It waits no more: passed on, or refused. */
  settle(address: string): void;
  /** It is closed, after it was settled. */
  leave(address: string): void;
}

export function createClientShares({
  connectionsPerClientMax,
  pendingPerClientMax,
}: Pick<Limits, 'connectionsPerClientMax' | 'pendingPerClientMax'>): ClientShares {
  const open = createClientCounts(connectionsPerClientMax);
  const pending = createClientCounts(pendingPerClientMax);
  return {
    enter(address) {
      if (!open.enter(address)) return 'over-client-limit';
      if (pending.enter(address)) return undefined;
      open.leave(address);
      return 'over-client-pending-limit';
    },
    settle: (address) => pending.leave(address),
    leave: (address) => open.leave(address),
  };
}
