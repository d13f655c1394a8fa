import { type Address, CannotStart, cannotListen, createRefusals, type Process, type Running } from '@sallyport/process';
import type { Store } from '@sallyport/store';
import { listen, openSigningKeys, openTlsFiles } from '@sallyport/wire';
import { createAdmission } from './admission.ts';
import { followCatalog } from './catalog-view.ts';
import type { Config } from './config.ts';
import { createDiscoveryMetrics } from './metrics.ts';
import { createGrantWatchers, createReaders } from './readers.ts';
import { rememberedCredentials } from './remembered-credentials.ts';
import { createResumeTokens } from './resume-token.ts';
import { discoveryService } from './service.ts';
import { createSnapshotLine } from './snapshot-line.ts';
import { openGrants, verifierOf } from './trust.ts';
import { createUrls } from './urls.ts';

/** A running discovery replica, as the dev stack sees it. */
export interface Discovery extends Running {
  /** As bound. */
  readonly address: Address;
}

export interface Given {
  readonly store: Store;
  /** What to write into public URLs, where it is only known once everything listens. */
  readonly urlPort?: () => number;
}

/** Calls still open when the process must end are short: they get this much time. */
const CLOSE_MS = 1_000;

export async function wire(
  config: Config,
  process: Process,
  { store, urlPort = () => config.urlPort }: Given,
): Promise<Discovery> {
  const { clock, log, randomId } = process;
  const { certFile, keyFile } = config.listenTls;
  const files = certFile === undefined || keyFile === undefined ? config.tls : { caFile: config.tls.caFile, certFile, keyFile };
  const tls = await openTlsFiles(files, {
    onChange: (problem) => problem !== undefined && log.error({ problem }, 'certificates not taken: the old ones stay'),
  });
  if (!tls.ok) throw new CannotStart(tls.error);
  const keys = await openSigningKeys(config.signingKeys);
  if (!keys.ok) throw new CannotStart(keys.error);

  const view = followCatalog({ store, clock, log, randomId });
  const { world } = view;
  const admission = createAdmission(config.limits);
  const line = createSnapshotLine({ clock, nextTurn: setImmediate });
  const metrics = createDiscoveryMetrics(process.metrics, { view, admission, line, clock });
  const grantFiles = createGrantWatchers();
  const grants = await openGrants(config, log, () => grantFiles.tell());
  const service = discoveryService({
    view,
    readers: createReaders({
      world,
      verify: rememberedCredentials(verifierOf(config, keys.value), { nowMs: () => clock.now(), unixMs: Date.now }),
      fileGrant: (principal) => grants?.of(principal),
    }),
    grantFiles,
    admission,
    line,
    tokens: createResumeTokens(() => world.generation?.value),
    clock,
    unixMs: Date.now,
    urls: createUrls(urlPort),
    metrics,
    backlogBytesMax: config.limits.backlogBytesMax,
  });
  const server = await listen({
    address: config.listen,
    tls: tls.value,
    trustDomain: config.trustDomain,
    // Whoever asks shows a token; a certificate alone says who it is, not what it may see.
    clients: { kind: 'certificate-or-bearer', apps: ['edge', 'operator'] },
    services: [service],
    onFault: (path, error) => log.error({ path, err: error }, 'a call failed unexpectedly'),
    onRefused: createRefusals('discovery', process.metrics, log),
  }).catch((error: Error) => {
    throw cannotListen(error, config.listen, 'discovery-listen');
  });
  log.info({ address: server.address.host, port: server.address.port }, 'discovery listens');

  return {
    address: server.address,
    listens: { discovery: server.address },
    ready: () => {
      const why = view.notReady();
      return [
        { name: 'view', ok: why === undefined, detail: why ?? 'complete' },
        { name: 'store', ok: view.connected(), detail: view.connected() ? 'connected' : 'the connection to the store is broken' },
      ];
    },
    async drain(deadline) {
      await server.close(deadline.aborted ? 0 : CLOSE_MS);
      metrics.close();
      grants?.close();
      await view.close();
      keys.value.close();
      tls.value.close();
    },
  };
}
