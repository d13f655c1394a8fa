import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { credentialHash } from '@sallyport/driver';
import { writeFileAtomic } from '@sallyport/files';
import { formatAddress, type Host, type PoolId } from '@sallyport/model';
import { CannotStart, type Process } from '@sallyport/process';
import { freePorts } from '@sallyport/store/etcd-process';
import { type Link, openLink, openTlsFiles } from '@sallyport/wire';
import { keepCertificates } from '../certificates.ts';
import type { Config } from '../config.ts';
import { createOperatorClient } from '../operator.ts';
import { type Part, SHARED_POOL, type Stack } from '../stack.ts';
import type { StateDir } from '../state-dir.ts';
import { makeTokens, readToken } from '../tokens.ts';
import { bound, type Child, startChild } from './child.ts';
import { openEtcd } from './etcd.ts';
import { readMetric } from './metrics.ts';
import { checkBeforehand } from './preconditions.ts';
import { followReadiness } from './readiness.ts';
import { workloadsOf } from './workloads.ts';

const ANY_PORT = '127.0.0.1:0';

/** The whole system as real processes on a real etcd. Children are named, never restarted, and ended together. */
export async function startFleet(config: Config, process: Process, state: StateDir): Promise<Stack> {
  const { clock, log, randomId, stopping } = process;
  await checkBeforehand(config);
  const directory = join(state.run, 'processes');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const given =
    config.certFile === undefined || config.keyFile === undefined
      ? undefined
      : { certFile: config.certFile, keyFile: config.keyFile };
  const certificates = await keepCertificates(state.pki, config.domain, given);
  const { keys, verifyKeys, adminTokenFile, edgeTokenFile } = await makeTokens(state.run);
  const children: Child[] = [];
  const closing: ((deadline: AbortSignal) => Promise<void>)[] = [];
  let ending = false;

  async function start(
    name: string,
    app: string,
    options: Readonly<Record<string, string>>,
    own?: { readonly caFile: string; readonly certFile: string; readonly keyFile: string },
  ): Promise<Child> {
    const files = own ?? (await certificates.internal(app));
    const child = await startChild({
      name,
      app,
      options: {
        'admin-listen': ANY_PORT,
        'log-level': config.process.logLevel === 'warn' ? 'info' : config.process.logLevel,
        drain: '500ms',
        'internal-ca-file': files.caFile,
        'internal-cert-file': files.certFile,
        'internal-key-file': files.keyFile,
        ...options,
      },
      directory,
      clock,
      stopping,
      onEnded: (ended, how, logFile) => {
        if (!ending) log.warn({ name: ended, how, logFile }, 'a process has ended; it is not started again');
      },
    });
    children.push(child);
    return child;
  }

  async function begin(): Promise<Stack> {
    const etcd =
      config.store.length > 0
        ? undefined
        : await openEtcd(config.etcdBinary, join(directory, 'etcd'), globalThis.process.env.PATH);
    if (etcd !== undefined) closing.push(() => etcd.stop());
    const store = `etcd://${(etcd?.endpoints ?? config.store).join(',')}`;

    const supervisors: {
      readonly uid: string;
      readonly pool: string;
      readonly address: string;
      readonly credentialSha256: string;
    }[] = [];
    const workloads = await workloadsOf(config, randomId, async (name, runtimeId) =>
      start(
        name,
        'boundary',
        { 'boundary-listen': ANY_PORT, 'verify-keys': verifyKeys },
        await certificates.boundary(runtimeId, directory),
      ),
    );
    // URLs name the port of the first edge, and its port is known before it can be started: it needs discovery.
    const edgePort = config.edges === 0 || config.port !== 0 ? config.port : ((await freePorts(1))[0] ?? 0);
    const urlPort = String(config.edges === 0 ? 0 : edgePort);
    const staticFile = join(directory, 'driver-static.json');
    const tellDriver = (): Promise<void> => writeFileAtomic(staticFile, JSON.stringify({ workloads, supervisors }), 0o600);
    await tellDriver();

    const driver = await start('driver', 'driver', { 'driver-listen': ANY_PORT, 'static-file': staticFile });
    const driverAddress = bound(driver, 'driver');
    const gateways = await Promise.all(
      range(config.gateways).map((number) =>
        start(`gateway-${number}`, 'gateway', {
          'operator-listen': ANY_PORT,
          'supervisor-listen': ANY_PORT,
          domain: config.domain,
          'url-port': urlPort,
          driver: formatAddress(driverAddress),
          ...(config.mode === 'shared' ? { 'default-pool': SHARED_POOL } : {}),
          'signing-keys': keys,
          'operator-cert-file': certificates.loopback.certFile,
          'operator-key-file': certificates.loopback.keyFile,
          store,
        }),
      ),
    );
    const discovery = await start('discovery-1', 'discovery', {
      'discovery-listen': ANY_PORT,
      'url-port': urlPort,
      'signing-keys': keys,
      'discovery-cert-file': certificates.loopback.certFile,
      'discovery-key-file': certificates.loopback.keyFile,
      store,
    });
    const edges = await Promise.all(
      range(config.edges).map((number) =>
        start(`edge-${number}`, 'edge', {
          'edge-listen': formatAddress({ host: config.listen, port: number === 1 ? edgePort : nextPort(config.port, number) }),
          discovery: formatAddress(bound(discovery, 'discovery')),
          'discovery-ca-file': certificates.caFile,
          'credential-file': edgeTokenFile,
        }),
      ),
    );
    const trust = await openTlsFiles({ caFile: certificates.caFile });
    if (!trust.ok) throw new CannotStart(trust.error);
    const gatewayAddress = bound(gateways[0] as Child, 'operator');
    const links = gateways.map((gateway) =>
      openLink({
        target: formatAddress(bound(gateway, 'operator')),
        tls: trust.value,
        showsCertificate: false,
        server: { kind: 'host-name' },
      }),
    );
    const closeLinks = (): void => {
      for (const each of links) each.close();
    };
    // Whichever gateway lives: people end one to see what happens.
    const link: Link = {
      get client() {
        return (links[gateways.findIndex((gateway) => gateway.alive())] ?? (links[0] as Link)).client;
      },
      close: closeLinks,
    };
    const readiness = followReadiness(children, clock);
    closing.push(async () => {
      readiness.stop();
      closeLinks();
      trust.value.close();
    });
    const operator = createOperatorClient(link, await readToken(adminTokenFile), process);
    const members: Child[] = [];

    async function supervise(poolId: PoolId, port: number, capacity: number): Promise<void> {
      const count = config.mode === 'shared' ? config.members : 1;
      for (let number = 0; number < count; number += 1) {
        const name = `supervisor-${members.length + 1}`;
        const credential = randomId() + randomId();
        const credentialFile = join(directory, `${name}.token`);
        await writeFileAtomic(credentialFile, credential, 0o600);
        supervisors.push({
          uid: `${name}-${randomId()}`,
          pool: poolId,
          address: '127.0.0.1',
          credentialSha256: credentialHash(credential),
        });
        await tellDriver();
        // Where there are edges, theirs are the ports that people use.
        const memberPort = port === 0 || config.edges > 0 ? 0 : port + number;
        members.push(
          await start(name, 'supervisor', {
            gateway: gateways.map((gateway) => formatAddress(bound(gateway, 'supervisor'))).join(','),
            pool: poolId,
            capacity: String(capacity),
            'credential-file': credentialFile,
            delivery: config.delivery,
            'app-listen': formatAddress({ host: config.listen, port: memberPort }),
            domain: config.domain,
            'app-cert-file': certificates.app.certFile,
            'app-key-file': certificates.app.keyFile,
          }),
        );
      }
    }

    return {
      operator,
      caFile: certificates.caFile,
      adminTokenFile,
      gatewayAddress,
      discoveryAddress: bound(discovery, 'discovery'),
      parts: () => [...(etcd?.parts() ?? []), ...children.map(partOf)],
      supervise,
      async served(hosts) {
        // A supervisor says how many hosts it would admit now; which ones they are, the gateway says.
        const counts = await Promise.all(
          members.map((member) => readMetric(member.announced.admin, 'sallyport_supervisor_serving_hosts')),
        );
        const services = await operator.list();
        const published = services
          .filter(({ host, endpoint }) => endpoint !== '' && hosts.has(host as Host))
          .map(({ host }) => host as Host);
        const known = await Promise.all(edges.map((edge) => readMetric(edge.announced.admin, 'sallyport_edge_records')));
        const isServed =
          counts.reduce((sum, count) => sum + count, 0) >= hosts.size && known.every((count) => count >= hosts.size);
        return new Set(isServed ? published : []);
      },
      ready: () => readiness.checks(),
      supervisors: () => [],
      close,
    };
  }

  async function close(deadline: AbortSignal): Promise<void> {
    ending = true;
    // Supervisors first: they let go of what they own while their gateway is still there.
    const supervisors = children.filter(({ app }) => app === 'supervisor');
    await Promise.all(supervisors.map((child) => child.end(deadline)));
    await Promise.all(children.map((child) => child.end(deadline)));
    for (const act of closing.reverse()) await act(deadline);
  }

  try {
    return await begin();
  } catch (error) {
    await close(AbortSignal.abort());
    throw error;
  }
}

/** Of the edges behind the first: the next ones, or any where any was asked for. */
const nextPort = (port: number, number: number): number => (port === 0 ? 0 : port + number - 1);

const range = (count: number): readonly number[] => Array.from({ length: count }, (_value, index) => index + 1);

const partOf = ({ name, app, pid, announced }: Child): Part => ({
  name,
  app,
  pid,
  address: Object.values(announced.listens)[0] ?? announced.admin,
  adminPort: announced.admin.port,
});
