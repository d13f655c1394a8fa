import { randomInt } from 'node:crypto';
import { later } from '@sallyport/model';
import type { StoreClock } from '../clock.ts';
import type { Store, StoreWatch } from '../port.ts';
import { parseAddresses } from './address.ts';
import { createCaller } from './call.ts';
import { createCommit } from './commit.ts';
import { createConnection } from './connection.ts';
import { createLeases } from './lease.ts';
import { createReads } from './read.ts';
import { type EtcdTls, readCredentials } from './tls.ts';
import { startWatch } from './watch.ts';
import { createWitness, ETCD_VERSION_MIN, isTooOld } from './witness.ts';

export interface EtcdStoreOptions {
  /** `host:port` of one or more members of one cluster; see {@link parseAddresses}. */
  readonly endpoints: readonly string[];
  readonly tls?: EtcdTls;
  readonly clock: StoreClock;
  /** For the log. Each kind at most once. */
  readonly onWarning: (warning: EtcdWarning) => void;
  /** True when no member answers, false when one does again. For health only, never for authority. */
  readonly onDisconnected: (is: boolean) => void;
  /** How long one call may take, connecting included. */
  readonly deadlineMs?: number;
}

/** `old-server`: it has known bugs. `unreachable`: not at start; everything goes on by itself once it is there. */
export interface EtcdWarning {
  readonly kind: 'old-server' | 'unreachable';
  readonly message: string;
}

export const CALL_DEADLINE_MS = 2_000;

/**
 * The store on an etcd cluster. Waits one deadline for it and then comes back all the same: calls say `unavailable` until it
 * is there. Rejects with an Error for endpoints or files that cannot work.
 */
export async function createEtcdStore({
  endpoints,
  tls,
  clock,
  onWarning,
  onDisconnected,
  deadlineMs = CALL_DEADLINE_MS,
}: EtcdStoreOptions): Promise<Store> {
  const addresses = parseAddresses(endpoints, tls !== undefined);
  if (tls !== undefined) await readCredentials(tls);
  const witness = createWitness();
  let warned = false;
  let serverVersion: string | undefined;
  const connection = createConnection({
    ...{ addresses, tls, clock, witness, onDisconnected, first: randomInt(addresses.length) },
    onVersion(version, address) {
      serverVersion = version;
      if (warned || !isTooOld(version)) return;
      warned = true;
      onWarning({ kind: 'old-server', message: `etcd ${version} at ${address}: use ${ETCD_VERSION_MIN} or later in production` });
    },
  });
  const caller = createCaller({ connection, witness, clock, deadlineMs });
  const watches = new Set<StoreWatch>();

  if ((await connection.proven(later(clock.now(), deadlineMs))) === undefined)
    onWarning({ kind: 'unreachable', message: `no etcd at ${addresses.join(', ')} yet: ${connection.problem()}` });

  return {
    ...createReads(caller, witness),
    commit: createCommit(caller, witness),
    lease: createLeases(caller),
    watch(prefix, from, watcher) {
      const watch = startWatch({ connection, witness, clock, deadlineMs }, prefix, from, watcher);
      watches.add(watch);
      return {
        close() {
          watches.delete(watch);
          watch.close();
        },
      };
    },
    server: () =>
      serverVersion === undefined
        ? undefined
        : { name: 'etcd', version: serverVersion, wanted: isTooOld(serverVersion) ? ETCD_VERSION_MIN : undefined },
    async close() {
      for (const watch of watches) watch.close();
      watches.clear();
      connection.close();
    },
  };
}
