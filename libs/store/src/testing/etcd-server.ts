import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Etcd3 } from 'etcd3';
import { describe } from 'vitest';
import { type EtcdMember, type EtcdServerTls, findEtcd, freePorts, INSTALL_ETCD, startEtcd } from '../etcd-process/index.ts';

export { createFaultProxy, type Direction, type FaultProxy, type FaultProxyOptions } from './fault-proxy.ts';

const binary = findEtcd(process.env.SALLYPORT_ETCD_BINARY, process.env.PATH);
const required = process.env.SALLYPORT_REQUIRE === 'all';

/** `describe` for what needs a real etcd: without one it is skipped by a name that says what to install, or fails. */
export function describeEtcd(name: string, body: () => void): void {
  const isMissing = binary === undefined;
  describe.skipIf(isMissing && !required)(isMissing ? `${name} (${INSTALL_ETCD})` : name, body);
}

/** A cluster of its own in a directory of its own. */
export interface TestCluster {
  readonly members: readonly TestMember[];
  readonly endpoints: readonly string[];
  /** Throws when no member says so for long. */
  leader(): Promise<TestMember>;
  compact(revision: bigint): Promise<void>;
  /** How many entries there are under a prefix. */
  count(prefix: string): Promise<number>;
  revokeLeases(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestMember {
  readonly name: string;
  readonly endpoint: string;
  readonly port: number;
  readonly pid: () => number;
  signal(signal: NodeJS.Signals): void;
  kill(): Promise<void>;
  /** The same member with the same data, after it was killed. */
  start(): Promise<void>;
}

export interface TestClusterOptions {
  readonly memberCount?: number;
  readonly fsync?: boolean;
  /** Without it the cluster's own admin calls cannot be used. */
  readonly tls?: EtcdServerTls;
}

/** Twice as quick as the default to elect, and still patient with a busy machine. */
const HEARTBEAT_MS = 50;
const LEADER_MS = 20_000;

export async function startTestCluster({ memberCount = 1, fsync = false, tls }: TestClusterOptions = {}): Promise<TestCluster> {
  if (binary === undefined) throw new Error(`no etcd: ${INSTALL_ETCD}`);
  const root = await mkdtemp(join(tmpdir(), 'sallyport-etcd-'));
  const ports = await freePorts(memberCount * 3);
  const names = Array.from({ length: memberCount }, (_, index) => `m${index + 1}`);
  const portsOf = (index: number): number[] => ports.slice(index * 3, index * 3 + 3);
  const cluster = Object.fromEntries(names.map((name, index) => [name, portsOf(index)[1] as number]));

  const members = names.map((name, index): TestMember & { ready(): Promise<void> } => {
    const [clientPort, peerPort, healthPort] = portsOf(index) as [number, number, number];
    const directory = join(root, name);
    const common = { binary, name, directory, clientPort, peerPort, healthPort, cluster, fsync, heartbeatMs: HEARTBEAT_MS };
    const run = (): EtcdMember => startEtcd(tls === undefined ? common : { ...common, tls });
    let member = run();
    return {
      name,
      endpoint: member.endpoint,
      port: clientPort,
      pid: () => member.pid,
      signal: (signal) => member.signal(signal),
      kill: () => member.kill(),
      ready: () => member.ready(),
      async start() {
        await member.kill();
        member = run();
        await member.ready();
      },
    };
  });

  const endpoints = members.map(({ endpoint }) => endpoint);
  const admins = tls === undefined ? endpoints.map((endpoint) => new Etcd3({ hosts: endpoint })) : [];
  const admin = (): Etcd3 => admins[0] as Etcd3;
  const stop = async (): Promise<void> => {
    for (const each of admins) each.close();
    await Promise.all(members.map((member) => member.kill()));
    await rm(root, { recursive: true, force: true });
  };
  try {
    await Promise.all(members.map((member) => member.ready()));
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    members,
    endpoints,
    async leader() {
      // A busy machine makes them elect anew now and then.
      for (const giveUpAt = performance.now() + LEADER_MS; performance.now() < giveUpAt; ) {
        for (const [index, each] of admins.entries()) {
          const status = await each.maintenance.status({ deadline: Date.now() + 1_000 }).catch(() => undefined);
          if (status !== undefined && status.leader === status.header.member_id) return members[index] as TestMember;
        }
      }
      throw new Error(`no member says in ${LEADER_MS} ms that it leads`);
    },
    compact: async (revision) => void (await admin().kv.compact({ revision: String(revision), physical: true })),
    count: (prefix) => admin().getAll().prefix(prefix).count(),
    async revokeLeases() {
      const { leases } = await admin().leaseClient.leaseLeases();
      await Promise.all(
        leases.map(({ ID }) =>
          admin()
            .leaseClient.leaseRevoke({ ID })
            .catch(() => undefined),
        ),
      );
    },
    stop,
  };
}
