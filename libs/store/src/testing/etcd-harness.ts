import type { StoreClock } from '../clock.ts';
import { createEtcdStore } from '../etcd/index.ts';
import type { Store } from '../port.ts';
import type { TestCluster } from './etcd-server.ts';
import { createFaultProxy, type FaultProxy } from './fault-proxy.ts';
import type { MakeHarness } from './harness.ts';

/** As many as any one test of the contract connects. */
const CLIENTS_MAX = 4;
/** A commit that has no effect after this will have none: far more than a busy machine needs. */
const EFFECT_MS = 10_000;

/** Clients for the contract, each behind proxies of its own, whose network can be broken without the others noticing. */
export interface EtcdRig {
  readonly makeHarness: MakeHarness;
  close(): Promise<void>;
}

export async function createEtcdRig(cluster: TestCluster, clock: StoreClock): Promise<EtcdRig> {
  const networks = await Promise.all(Array.from({ length: CLIENTS_MAX }, () => createNetwork(cluster)));
  let testCount = 0;

  const makeHarness: MakeHarness = async () => {
    testCount += 1;
    const prefix = `/contract/${testCount}/`;
    const stores = await Promise.all(networks.map((network) => network.connect(clock)));
    const networkOf = (store: Store) => networks[stores.indexOf(store)] as Network;
    let connected = 0;
    return {
      prefix,
      leaseMs: 1_000,
      connect() {
        const store = stores[connected];
        connected += 1;
        if (store === undefined) throw new Error(`a test connects more than ${CLIENTS_MAX} clients`);
        return store;
      },
      loseAnswerOfNextCommit(store, happens) {
        if (happens) void networkOf(store).loseAnswer(async () => (await cluster.count(prefix)) > 0);
        else void networkOf(store).loseRequest();
      },
      compact: (revision) => cluster.compact(revision),
      breakConnections: (store, meanwhile) => networkOf(store).breakDuring(meanwhile),
      pass,
      async close() {
        await Promise.all(stores.map((store) => store.close()));
        // Their keys would be deleted, at revisions of their own, in the middle of another test.
        await cluster.revokeLeases();
      },
    };
  };
  return { makeHarness, close: async () => void (await Promise.all(networks.map((network) => network.close()))) };
}

type Network = Awaited<ReturnType<typeof createNetwork>>;

/** One client's way to all members. */
async function createNetwork(cluster: TestCluster) {
  const proxies: FaultProxy[] = await Promise.all(cluster.members.map(({ port }) => createFaultProxy({ target: { port } })));
  const each = (act: (proxy: FaultProxy) => void): void => proxies.forEach(act);

  /** Cuts with the requests or the answers still held. */
  async function loseHeld(): Promise<void> {
    each((proxy) => proxy.cut());
    each((proxy) => proxy.blackhole(false));
  }

  return {
    connect: (clock: StoreClock) =>
      createEtcdStore({
        endpoints: proxies.map(({ address }) => address),
        clock,
        onWarning: () => undefined,
        onDisconnected: () => undefined,
      }),
    async loseAnswer(happened: () => Promise<boolean>) {
      each((proxy) => proxy.blackhole('from-target'));
      const giveUpAt = performance.now() + EFFECT_MS;
      while (!(await happened()) && performance.now() < giveUpAt) await pass(5);
      await loseHeld();
    },
    async loseRequest() {
      each((proxy) => proxy.blackhole('to-target'));
      const giveUpAt = performance.now() + EFFECT_MS;
      while (proxies.every((proxy) => proxy.heldBytes() === 0) && performance.now() < giveUpAt) await pass(5);
      await loseHeld();
    },
    async breakDuring(meanwhile: () => Promise<void>) {
      await Promise.all(proxies.map((proxy) => proxy.refuse(true)));
      each((proxy) => proxy.cut());
      await meanwhile();
      await Promise.all(proxies.map((proxy) => proxy.refuse(false)));
    },
    close: () => Promise.all(proxies.map((proxy) => proxy.close())),
  };
}

const pass = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
