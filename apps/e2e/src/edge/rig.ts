import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gatewayV1 } from '@sallyport/wire';
import { type AppProcess, startApp } from '../authority/rig/app-process.ts';
import { type EchoApp, startEchoApp } from '../authority/rig/echo-app.ts';
import { type Installation, isReady, startInstallation, target } from '../authority/rig/installation.ts';
import { until } from '../authority/rig/until.ts';
import type { Began, Heard } from './stale.ts';

/** An installation with two discovery replicas and two edges that follow both, all of them real processes. */
export interface EdgeRig {
  readonly installation: Installation;
  readonly app: EchoApp;
  readonly discoveries: readonly AppProcess[];
  readonly edges: readonly AppProcess[];
  edgePorts(): number[];
  /** What the edges may see, as the grant of their principal has it. */
  grant(workspaces: readonly string[]): Promise<void>;
  /** By the logs of the edges so far: connections that were passed on, and what was heard of records. */
  logged(): Promise<Logged>;
  close(): Promise<void>;
}

export interface Logged {
  readonly began: readonly Began[];
  readonly heard: readonly Heard[];
}

/** As the tokens of the rig name a reader. */
const PRINCIPAL = 'test-reader';
const ANY_PORT = '127.0.0.1:0';

export async function startEdgeRig(): Promise<EdgeRig> {
  const app = await startEchoApp();
  const installation = await startInstallation({ gatewayCount: 2 });
  const { pki, folder } = installation;
  const started: AppProcess[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(started.map((each) => each.kill()));
    await installation.close();
    await app.close();
  };
  try {
    const start = async (name: string, kind: string, given: Readonly<Record<string, string>>): Promise<AppProcess> => {
      const { caFile, certFile, keyFile } = await pki.internal(kind);
      const internal = { 'internal-ca-file': caFile, 'internal-cert-file': certFile, 'internal-key-file': keyFile };
      const options = { 'admin-listen': ANY_PORT, 'log-level': 'debug', drain: '3s', ...internal, ...given };
      const each = await startApp({ name, app: kind, options, folder });
      started.push(each);
      return each;
    };
    const second = await start('discovery-2', 'discovery', {
      'discovery-listen': ANY_PORT,
      'signing-keys': pki.keysFolder,
      'discovery-cert-file': pki.loopback.certFile,
      'discovery-key-file': pki.loopback.keyFile,
      store: `etcd://${installation.etcd.endpoints.join(',')}`,
    });
    const discoveries = [installation.discovery, second];
    const credentialFile = join(folder, 'edge.token');
    await writeFile(credentialFile, await pki.operatorToken({ kind: 'reader', workspaces: 'all' }));
    const grant = async (workspaces: readonly string[]): Promise<void> => {
      await installation.ask(gatewayV1.GatewayServiceService.setGrant, {
        principal: PRINCIPAL,
        workspaces: [...workspaces],
      });
    };
    await grant(['team']);
    const edges = await Promise.all(
      ['edge-1', 'edge-2'].map((name) =>
        start(name, 'edge', {
          'edge-listen': ANY_PORT,
          discovery: discoveries.map((each) => target(each, 'discovery')).join(','),
          'discovery-ca-file': pki.caFile,
          'credential-file': credentialFile,
        }),
      ),
    );
    for (const edge of edges) await until(`${edge.name} is ready`, () => isReady(edge), 15_000);
    return {
      installation,
      app,
      discoveries,
      edges,
      edgePorts: () => edges.map((edge) => edge.address('edge').port),
      grant,
      async logged() {
        const each = await Promise.all(edges.map((edge) => loggedBy(folder, edge.name)));
        return { began: each.flatMap(({ began }) => began), heard: each.flatMap(({ heard }) => heard) };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Line {
  readonly time: string;
  readonly msg: string;
  readonly host: string;
  readonly endpoint: string;
  readonly durationMs: number;
  readonly reachedMs: number;
}

/** Its times as those of `performance.now()` here. */
async function loggedBy(folder: string, edge: string): Promise<Logged> {
  const text = await readFile(join(folder, `${edge}.log`), 'utf8');
  const lines = text
    .split('\n')
    .filter((line) => /"msg":"(connection|record held|record dropped)"/.test(line))
    .map((line) => JSON.parse(line) as Line)
    .map((line) => ({ ...line, edge, at: Date.parse(line.time) - performance.timeOrigin }));
  const began = lines
    .filter(({ msg }) => msg === 'connection')
    .map(({ host, endpoint, at, durationMs, reachedMs }) => ({ edge, host, endpoint, at: at - durationMs + reachedMs }));
  const heard = lines
    .filter(({ msg }) => msg !== 'connection')
    .map(({ host, endpoint, at, msg }) => ({ edge, host, at, ...(msg === 'record held' ? { endpoint } : {}) }));
  return { began, heard };
}
