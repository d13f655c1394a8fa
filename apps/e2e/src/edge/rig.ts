import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gatewayV1 } from '@sallyport/wire';
import { type AppProcess, startApp } from '../authority/rig/app-process.ts';
import { type EchoApp, startEchoApp } from '../authority/rig/echo-app.ts';
import { type Installation, isReady, startInstallation, target } from '../authority/rig/installation.ts';
import { until } from '../authority/rig/until.ts';

/** An installation with two discovery replicas and two edges that follow both, all of them real processes. */
export interface EdgeRig {
  readonly installation: Installation;
  readonly app: EchoApp;
  readonly discoveries: readonly AppProcess[];
  readonly edges: readonly AppProcess[];
  edgePorts(): number[];
  /** What the edges may see, as the grant of their principal has it. */
  grant(workspaces: readonly string[]): Promise<void>;
  /** Connections that an edge passed on, by its access log so far. */
  passed(): Promise<readonly Passed[]>;
  close(): Promise<void>;
}

export interface Passed {
  readonly edge: string;
  readonly host: string;
  readonly endpoint: string;
  /** When the supervisor was dialled; milliseconds since 1970. */
  readonly reachedAt: number;
  readonly ending: string;
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
      passed: async () => (await Promise.all(edges.map((edge) => passedBy(folder, edge.name)))).flat(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface AccessLine {
  readonly time: string | number;
  readonly msg: string;
  readonly host: string;
  readonly endpoint: string;
  readonly ending: string;
  readonly durationMs: number;
  readonly reachedMs: number;
}

async function passedBy(folder: string, edge: string): Promise<readonly Passed[]> {
  const lines = (await readFile(join(folder, `${edge}.log`), 'utf8'))
    .split('\n')
    .filter((line) => line.includes('"msg":"connection"'));
  return lines.map((line) => {
    const { time, host, endpoint, ending, durationMs, reachedMs } = JSON.parse(line) as AccessLine;
    return { edge, host, endpoint, ending, reachedAt: new Date(time).getTime() - durationMs + reachedMs };
  });
}
