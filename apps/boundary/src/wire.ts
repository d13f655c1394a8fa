import { X509Certificate } from 'node:crypto';
import type { RuntimeId } from '@sallyport/model';
import { type Address, CannotStart, type Process, type Running } from '@sallyport/process';
import { createLoopback } from '@sallyport/proxy';
import {
  followTlsMaterial,
  openSigningKeys,
  openTlsFiles,
  peerIn,
  type TlsMaterial,
  verifyBoundaryToken,
  verifyFence,
} from '@sallyport/wire';
import { createChannels } from './channels.ts';
import type { Config } from './config.ts';
import { createConnectHandler } from './connect.ts';
import { createGuard } from './guard.ts';
import { SWEEP_EVERY_MS } from './limits.ts';
import { isSuspicious, type OnRefused } from './refusals.ts';
import { createRequestHandler } from './requests.ts';
import { listenForSupervisors } from './server.ts';

/** A running boundary. */
export interface BoundaryServer extends Running {
  readonly address: Address;
  readonly runtimeId: RuntimeId;
}

export async function wire(config: Config, process: Process): Promise<BoundaryServer> {
  const { clock, log, metrics, randomId } = process;
  const keys = await openSigningKeys(config.verifyKeys);
  if (!keys.ok) throw new CannotStart(keys.error);
  const files = await openTlsFiles(config.tls, {
    onChange: (problem) => problem !== undefined && log.error({ problem }, 'certificates not taken: the old ones stay'),
  });
  if (!files.ok) {
    keys.value.close();
    throw new CannotStart(files.error);
  }
  const tls = files.value;
  let taken: TlsMaterial | undefined;
  let secure: (material: TlsMaterial) => void = () => undefined;
  const first = Promise.withResolvers<void>();
  const followed = followTlsMaterial(tls, (material) => {
    const named = runtimeIn(material, config.trustDomain);
    // A boundary stands in one life of one workload: a certificate for another is not its own.
    if (taken !== undefined && named !== runtimeIn(taken, config.trustDomain))
      return log.error({ runtimeId: named }, 'certificate not taken: it names another runtime');
    taken = material;
    secure(material);
    first.resolve();
  });
  await first.promise;
  const material = (): TlsMaterial => taken as TlsMaterial;
  const runtimeId = runtimeIn(material(), config.trustDomain);
  if (runtimeId === undefined) {
    close();
    throw new CannotStart(
      `${config.tls.certFile} names no boundary: it needs the URI spiffe://${config.trustDomain}/boundary/<runtime id>, and no other`,
    );
  }

  const refusals = metrics.counter('sallyport_boundary_refusals_total', 'Refused, by why.', ['refusal']);
  const connections = metrics.counter('sallyport_boundary_connection_events_total', 'What happened to connections.', ['event']);
  const bytes = metrics.counter('sallyport_boundary_bytes_total', 'Bytes of channels, by direction.', ['direction']);
  const cuts = metrics.counter('sallyport_boundary_channels_cut_total', 'Channels closed because their right had ended.');
  const onRefused: OnRefused = (refusal, address) => {
    refusals.add(1, { refusal });
    log[isSuspicious(refusal) ? 'warn' : 'debug']({ refusal, address }, 'request refused');
  };

  const channels = createChannels({
    mayForward: (epoch, port) => guard.mayForward(epoch, port),
    clock,
    channelsMax: config.limits.channelsMax,
    silenceMs: config.limits.channelSilenceMs,
    onBytes: (direction, count) => bytes.add(count, { direction }),
    onCut: () => cuts.add(1),
  });
  const signers = keys.value;
  const guard = createGuard({
    runtimeId,
    verify: { token: (token) => verifyBoundaryToken(signers, token), fence: (token) => verifyFence(signers, token) },
    clock,
    randomId,
    onChange: () => channels.enforce(),
  });
  // Its own ports are no application: serving one would lead around its own authentication.
  const forbiddenPorts = new Set([process.admin.port]);
  const connector = createLoopback({ clock, forbiddenPorts, dialMs: config.limits.dialMs });
  const listener = await listenForSupervisors({
    address: config.listen,
    material: material(),
    trustDomain: config.trustDomain,
    limits: config.limits,
    onRequest: createRequestHandler({ guard, life: randomId(), material, onRefused, log }) as never,
    onConnect: createConnectHandler({
      guard,
      channels,
      connector,
      reset: (socket) => listener.reset(socket),
      onRefused,
      // Who delivered what is told from this and from the application's own log.
      onOpened: (opened) => log.debug({ ...opened }, 'channel opened'),
    }) as never,
    onRefused,
    onEvent(event, facts) {
      connections.add(1, { event });
      // Whoever only knocks, such as a probe of the port, ends before it has said anything.
      if (facts !== undefined) log[facts.reason === 'ECONNRESET' ? 'debug' : 'warn']({ event, ...facts }, 'connection refused');
    },
  }).catch((error: Error) => {
    close();
    throw error;
  });
  forbiddenPorts.add(listener.address.port);
  secure = (next) => listener.secure(next);
  const cancel = clock.every(SWEEP_EVERY_MS, () => {
    guard.sweep();
    channels.enforce();
  });
  metrics.observed('sallyport_boundary_connections', 'Connections of supervisors now.', () => listener.connectionCount());
  metrics.observed('sallyport_boundary_channels', 'Open ways to the application now.', () => channels.count());
  metrics.observed('sallyport_boundary_nonces', 'Nonces that are known now.', () => guard.state().nonces.size);
  log.info({ runtimeId, address: listener.address }, 'boundary listens');

  function close(): void {
    followed.stop();
    tls.close();
    if (keys.ok) keys.value.close();
  }

  return {
    address: listener.address,
    runtimeId,
    listens: { boundary: listener.address },
    ready: () => [
      { name: 'keys', ok: true, detail: keys.value.problem() ?? 'in use' },
      { name: 'certificates', ok: true, detail: tls.problem() ?? 'in use' },
    ],
    async drain() {
      // What it guards ends with it, and whoever uses it has another way to end well.
      cancel();
      channels.closeAll();
      await listener.close();
      close();
    },
  };
}

function runtimeIn(material: TlsMaterial, trustDomain: string): RuntimeId | undefined {
  const peer = peerIn(new X509Certificate(material.cert).subjectAltName, trustDomain);
  return peer?.app === 'boundary' ? (peer.id as RuntimeId) : undefined;
}
