import { createFollower } from '@sallyport/catalog';
import { type Address, CannotStart, type Process, type Running } from '@sallyport/process';
import { discoveryV1, openLink, openStream, openTlsFiles, type PublishedRecord } from '@sallyport/wire';
import type { Config } from './config.ts';
import { readCredential } from './credential.ts';
import { fittingConnections, readDescriptorLimit } from './descriptors.ts';
import { openDoor } from './door.ts';
import { followDiscovery, type Replica } from './follow-discovery.ts';
import { createObserver } from './metrics.ts';
import { createPublished } from './published.ts';

/** A running edge. */
export interface Edge extends Running {
  readonly address: Address;
}

export async function wire(config: Config, process: Process): Promise<Edge> {
  const { clock, log, metrics } = process;
  const first = await readCredential(config.credentialFile);
  if (!first.ok) throw new CannotStart(`--credential-file: ${first.error}`);
  const descriptors = await readDescriptorLimit();
  const wanted = config.limits.connectionsMax;
  const connectionsMax = fittingConnections(wanted, descriptors);
  if (connectionsMax === 0) throw new CannotStart(`${descriptors} file descriptors are too few: raise the limit (ulimit -n)`);
  if (connectionsMax < wanted)
    log.warn({ wanted, connectionsMax, descriptors }, 'fewer connections than --max-connections: file descriptors are too few');
  const { caFile, certFile, keyFile } = config.tls;
  const trustedCa = config.discoveryCaFile ?? (caFile as string);
  const showsCertificate = certFile !== undefined && keyFile !== undefined;
  const tls = await openTlsFiles(showsCertificate ? { caFile: trustedCa, certFile, keyFile } : { caFile: trustedCa }, {
    onChange: (problem) => problem !== undefined && log.error({ problem }, 'certificates not taken: the old ones stay'),
  });
  if (!tls.ok) throw new CannotStart(tls.error);

  const follower = createFollower<PublishedRecord>(config.workspaces, config.records);
  const published = createPublished(follower);
  const door = await openDoor({
    listen: config.listen,
    clock,
    limits: { ...config.limits, connectionsMax },
    published,
    trusted: config.trusted,
    sendsProxy: config.sendsProxy,
    observer: createObserver(metrics, log),
  }).catch((error: Error) => {
    tls.value.close();
    throw error;
  });

  const links = config.discovery.map((target) =>
    openLink({
      target,
      tls: tls.value,
      showsCertificate,
      server:
        config.discoveryCaFile === undefined
          ? { kind: 'app', app: 'discovery', trustDomain: config.trustDomain }
          : { kind: 'host-name' },
    }),
  );
  const replicas = links.map(
    (link, index): Replica => ({
      name: config.discovery[index] as string,
      watch: (bearer, signal) => openStream(link, discoveryV1.DiscoveryServiceService.watch, { bearer, signal }),
    }),
  );
  const streams = metrics.counter('sallyport_edge_discovery_streams_total', 'Streams of discovery, by what became of them.', [
    'what',
  ]);
  const stop = new AbortController();
  const following = followDiscovery({
    replicas,
    follower,
    apply: (effects) => published.apply(effects, clock.now()),
    readCredential: () => readCredential(config.credentialFile),
    clock,
    random: Math.random,
    log,
    onStream: (what) => streams.add(1, { what }),
    signal: stop.signal,
  });

  const recordCount = (): number => [...follower.records(clock.now())].length;
  metrics.observed('sallyport_edge_connections', 'Client connections now.', () => door.connectionCount());
  metrics.observed('sallyport_edge_pending_connections', 'Of those, not passed on yet.', () => door.pendingCount());
  metrics.observed('sallyport_edge_records', 'Hosts that can be reached now.', recordCount);
  metrics.observed(
    'sallyport_edge_records_left_out',
    'Records that are shown and over the limits; 0: all are held.',
    () => follower.leftOut,
  );
  metrics.observed('sallyport_edge_follows_discovery', 'Whether a stream of discovery is open: 1 or 0.', () =>
    following.connected() ? 1 : 0,
  );
  log.info({ address: door.address, discovery: config.discovery }, 'edge listens');

  return {
    address: door.address,
    listens: { edge: door.address },
    ready: () => [
      {
        name: 'discovery',
        // What is held may be used on after the stream is lost; once all of it has run out, another edge may do better.
        ok: follower.complete && (following.connected() || recordCount() > 0),
        detail: !follower.complete
          ? 'no snapshot yet'
          : following.connected()
            ? 'follows'
            : `the stream is lost; ${recordCount()} records may still be used`,
      },
    ],
    async drain(deadline) {
      await door.drain(deadline);
      stop.abort();
      await following.ended;
      for (const link of links) link.close();
      tls.value.close();
    },
  };
}
