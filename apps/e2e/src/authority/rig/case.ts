import { type EchoApp, startEchoApp } from './echo-app.ts';
import { keepEvidence } from './evidence.ts';
import { type Installation, type InstallationOptions, type Served, startInstallation } from './installation.ts';
import { type Probe, type Prober, startProber } from './prober.ts';
import { type PublicationWatch, type Sight, watchPublication } from './publication.ts';
import { sleep } from './until.ts';

/** An installation with one sandbox of each wanted kind that is served, and two observers outside of it. */
export interface Scene {
  readonly installation: Installation;
  readonly app: EchoApp;
  readonly served: Served;
  readonly probes: readonly Probe[];
  readonly sights: readonly Sight[];
}

export interface SceneOptions extends InstallationOptions {
  readonly supervisorCount?: number;
  readonly dedicated?: boolean;
}

/** Serving goes on for this long before a fault, so that what follows has something to be compared with. */
const STEADY_MS = 1_500;

/** Runs one case; what it leaves behind when it fails is kept, and where that is becomes part of the error. */
export async function runCase(name: string, options: SceneOptions, body: (scene: Scene) => Promise<void>): Promise<void> {
  const app = await startEchoApp();
  const installation = await startInstallation(options).catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  let prober: Prober | undefined;
  let publication: PublicationWatch | undefined;
  try {
    const served = await serveOne(installation, app, options);
    const ports = (): number[] => installation.supervisors.filter((each) => each.alive()).map((each) => each.address('app').port);
    prober = startProber(served.host, installation.pki.ca, ports);
    publication = watchPublication(installation.discoveryLink, installation.adminToken, served.host);
    await sleep(STEADY_MS);
    await body({ installation, app, served, probes: prober.probes, sights: publication.sights });
  } catch (error) {
    const seen = { probes: prober?.probes ?? [], publication: publication?.sights ?? [] };
    const folder = await keepEvidence(name, installation, seen, error);
    throw new Error(`${(error as Error).message}\nwhat was seen is kept in ${folder}`, { cause: error });
  } finally {
    await prober?.stop();
    await publication?.stop();
    await installation.close();
    await app.close();
  }
}

async function serveOne(installation: Installation, app: EchoApp, { supervisorCount = 1, dedicated = false }: SceneOptions) {
  if (!dedicated) {
    for (let count = 0; count < supervisorCount; count += 1) await installation.supervise();
    return installation.serve('box', app.port);
  }
  const served = await installation.serve('box', app.port, true);
  await installation.supervise({ pool: served.poolId });
  return served;
}
