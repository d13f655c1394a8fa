import type { Host, MemberId } from '@sallyport/model';
import { CannotStart, type Process, type Running } from '@sallyport/process';
import { createInstances, createLoopback, type ExchangeRecord } from '@sallyport/proxy';
import { followTlsMaterial, openLink, openTlsFiles } from '@sallyport/wire';
import { type AppListener, type ListenSettings, openAppListener } from './app-listener.ts';
import { createBoundaryLink } from './boundary/boundary-link.ts';
import type { Config } from './config.ts';
import { followGateway } from './follow-gateway.ts';
import { gatewayPort } from './gateway-port.ts';
import { createHosted, type Hosted } from './hosted.ts';
import { letGo } from './let-go.ts';
import { createExchangeMetrics } from './observe.ts';

/** A running supervisor, as the dev stack sees it. */
export interface Supervisor extends Running {
  readonly memberId: MemberId;
  /** Undefined: the listener is off. */
  readonly appPort: number | undefined;
  hosted(): Iterable<Hosted>;
  /** Hosts that a request would be admitted for now. */
  servedHosts(): readonly Host[];
}

/** How long a draining member waits for its sandboxes to be taken over before it stops serving. */
const RELEASE_WAIT_MS = 3_000;

export interface Given {
  /** Each ended exchange, beside the log and the metrics. */
  readonly observe?: (record: ExchangeRecord) => void;
  /** Further ports of this process that are no applications. */
  readonly ownPorts?: readonly number[];
  /** What the listener's address is called where people set it; for the message when it cannot be had. */
  readonly settings?: ListenSettings;
}

export async function wire(config: Config, process: Process, given: Given = {}): Promise<Supervisor> {
  const { clock, log, metrics, randomId } = process;
  const memberId = randomId() as MemberId;
  const tls = await openTlsFiles(config.tls, {
    onChange: (problem) => problem !== undefined && log.warn({ problem }, 'internal certificates not taken'),
  });
  if (!tls.ok) throw new CannotStart(tls.error);

  const material = followTlsMaterial(tls.value);

  const instances = createInstances({ clock });
  const exchanges = createExchangeMetrics(metrics, instances);
  const ownPorts = new Set([process.admin.port, ...(given.ownPorts ?? [])]);
  let listener: AppListener | undefined;
  if (config.listen !== undefined) {
    const { certFile, keyFile, clientCaFile } = config.appTls;
    listener = await openAppListener(
      {
        address: config.listen,
        certFile: certFile as string,
        keyFile: keyFile as string,
        clientCaFile,
        limits: config.limits,
        trusted: config.trusted,
        instances,
        exchanges,
        observe: given.observe,
        settings: given.settings,
      },
      process,
    ).catch((error: Error) => {
      tls.value.close();
      throw error;
    });
    ownPorts.add(listener.port);
    log.info({ address: config.listen.host, port: listener.port }, 'application listener open');
  }

  let draining = false;
  const links = config.gateways.map((target) =>
    openLink({
      target,
      tls: tls.value,
      showsCertificate: true,
      server: { kind: 'app', app: 'gateway', trustDomain: config.trustDomain },
    }),
  );
  // Draining is the member's state, and its successor's reason: what it owns it serves until it lets go.
  const ready = (): boolean => true;
  const following = followGateway({
    gateways: links.map(gatewayPort),
    memberId,
    poolId: config.pool,
    credential: config.credential,
    delivery: config.delivery,
    advertises: listener !== undefined,
    memberState: () => ({ ready: true, draining, appPort: listener?.port ?? 0, capacity: config.capacity }),
    host: (assignment) => {
      const boundary =
        assignment.boundaryAddress === undefined
          ? undefined
          : createBoundaryLink({
              address: assignment.boundaryAddress,
              runtimeId: assignment.runtimeId,
              trustDomain: config.trustDomain,
              material: material.current,
              clock,
              log,
            });
      // Ports of this process are no applications; behind a boundary they are other ports.
      const forbiddenPorts = boundary === undefined ? ownPorts : new Set<number>();
      return createHosted({
        assignment,
        memberId,
        instance: instances.start({
          sandboxId: assignment.sandboxId,
          mode: assignment.mode,
          limits: config.limits,
          connector: boundary ?? createLoopback({ clock, forbiddenPorts, dialMs: config.limits.dialMs, lends: true }),
        }),
        boundary,
        rules: { domain: config.domain, ownPorts: forbiddenPorts, claims: (host: Host) => instances.claims(host) },
        ready,
        clock,
        log,
      });
    },
    random: Math.random,
    clock,
    log,
  });

  const servedHosts = (): readonly Host[] => [...following.hosted()].flatMap((hosted) => hosted.servedHosts());
  metrics.observed(
    'sallyport_supervisor_serving_hosts',
    'Hosts that a request would be admitted for now.',
    () => servedHosts().length,
  );

  return {
    memberId,
    appPort: listener?.port,
    listens:
      listener === undefined || config.listen === undefined ? {} : { app: { host: config.listen.host, port: listener.port } },
    hosted: () => following.hosted(),
    servedHosts,
    ready: () => [
      { name: 'gateway', ok: following.joined(), detail: following.joined() ? 'joined' : 'no gateway has taken this member' },
      {
        name: 'listener',
        ok: !draining,
        detail: listener === undefined ? 'off' : draining ? 'draining' : `port ${listener.port}`,
      },
    ],
    async drain(deadline) {
      draining = true;
      following.announce();
      const waitMs = Math.min(RELEASE_WAIT_MS, config.process.drainMs / 2);
      await letGo({ following, clock, waitMs, deadline });
      const graceMs = Math.max(0, config.process.drainMs - waitMs);
      await listener?.drain(deadline.aborted ? 0 : graceMs);
      await following.stop();
      for (const link of links) link.close();
      listener?.stop();
      tls.value.close();
    },
  };
}
