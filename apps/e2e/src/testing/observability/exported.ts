import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as boundary from '@sallyport/boundary';
import * as discovery from '@sallyport/discovery';
import * as driver from '@sallyport/driver';
import * as edge from '@sallyport/edge';
import * as gateway from '@sallyport/gateway';
import { openKubeStage } from '@sallyport/kube/testing';
import { formatAddress } from '@sallyport/model';
import {
  type Announcement,
  createClock,
  type Metrics,
  type Process,
  type ProcessConfig,
  type Reading,
  type Running,
  type Source,
} from '@sallyport/process';
import { createMemoryStore } from '@sallyport/store';
import * as supervisor from '@sallyport/supervisor';
import { DOMAIN, type Files, makePki, type Pki } from '../../authority/rig/pki.ts';
import { runApp } from '../../stack/run-app.ts';

/** One metric as an app makes it. */
export interface Exported {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** What each app exports, by app: asked at its admin port while it runs as its own command line would. */
export async function exportedByAll(): Promise<ReadonlyMap<string, readonly Exported[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-observed-'));
  const pki = await makePki(join(folder, 'pki'));
  const kube = await openKubeStage();
  const storeClock = createClock();
  const store = createMemoryStore({ clock: storeClock });
  const [token, reader] = [join(folder, 'token'), join(folder, 'reader')];
  await writeFile(token, 'nobody');
  const found = new Map<string, readonly Exported[]>();
  const ending: (() => Promise<void>)[] = [];

  async function start<C extends { readonly process: ProcessConfig }>(
    app: string,
    readConfig: (source: Source) => Reading<C>,
    wire: (config: C, process: Process) => Promise<Running>,
    options: Readonly<Record<string, string>>,
  ): Promise<Announcement> {
    const announceFile = join(folder, `${app}.json`);
    const labels = new Map<string, readonly string[]>();
    const process = runApp(app, readConfig, (config, given) => wire(config, noting(given, labels)), {
      ...options,
      'announce-file': announceFile,
    });
    ending.unshift(async () => {
      process.stop();
      await process.ended;
    });
    await process.running;
    const announced = JSON.parse(await readFile(announceFile, 'utf8')) as Announcement;
    found.set(app, await scrape(formatAddress(announced.admin), labels));
    return announced;
  }

  try {
    const kubeconfig = await writeKubeconfig(join(folder, 'kubeconfig'), kube.api.url, kube.caFile, kube.tokenFile);
    const d = await start('driver', driver.readConfig, driver.wire, {
      backend: 'kubernetes',
      kubeconfig,
      'driver-listen': '127.0.0.1:0',
      ...(await internal(pki, 'driver')),
    });
    const g = await start('gateway', gateway.readConfig, (config, of) => gateway.wire(config, of, { store: store.connect() }), {
      'operator-listen': '127.0.0.1:0',
      'supervisor-listen': '127.0.0.1:0',
      domain: DOMAIN,
      driver: boundAs(d, 'driver'),
      'signing-keys': pki.keysFolder,
      ...(await internal(pki, 'gateway')),
    });
    const seen = await start(
      'discovery',
      discovery.readConfig,
      (config, of) => discovery.wire(config, of, { store: store.connect() }),
      {
        'discovery-listen': '127.0.0.1:0',
        'signing-keys': pki.keysFolder,
        ...(await internal(pki, 'discovery')),
      },
    );
    await start('supervisor', supervisor.readConfig, supervisor.wire, {
      gateway: boundAs(g, 'supervisor'),
      pool: 'pool-1',
      'credential-file': token,
      'app-listen': '127.0.0.1:0',
      domain: DOMAIN,
      'app-cert-file': pki.apps.certFile,
      'app-key-file': pki.apps.keyFile,
      ...(await internal(pki, 'supervisor')),
    });
    await writeFile(reader, await pki.operatorToken({ kind: 'admin' }));
    await start('edge', edge.readConfig, edge.wire, {
      'edge-listen': '127.0.0.1:0',
      discovery: boundAs(seen, 'discovery'),
      'credential-file': reader,
      ...(await internal(pki, 'edge')),
    });
    await start('boundary', boundary.readConfig, boundary.wire, {
      'boundary-listen': '127.0.0.1:0',
      'verify-keys': pki.verifyKeysFolder,
      ...(await internal(pki, 'boundary')),
    });
    return found;
  } finally {
    for (const end of ending) await end();
    storeClock.stop();
    await kube.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const internal = async (pki: Pki, app: string): Promise<Record<string, string>> => {
  const { caFile, certFile, keyFile }: Files = await pki.internal(app);
  return { 'internal-ca-file': caFile, 'internal-cert-file': certFile, 'internal-key-file': keyFile };
};

function boundAs({ listens }: Announcement, port: string): string {
  const address = listens[port];
  if (address === undefined) throw new Error(`nothing is bound as ${port}`);
  return formatAddress(address);
}

/** Labels of a metric show in the text only once it has a value, so they are noted where they are declared. */
function noting(process: Process, labels: Map<string, readonly string[]>): Process {
  const { metrics } = process;
  const note = (name: string, names: readonly string[] = []): void => void labels.set(name, names);
  const noted: Metrics = {
    ...metrics,
    counter(name, help, names) {
      note(name, names);
      return metrics.counter(name, help, names);
    },
    gauge(name, help, names) {
      note(name, names);
      return metrics.gauge(name, help, names);
    },
    histogram(name, help, buckets, names) {
      note(name, names);
      return metrics.histogram(name, help, buckets, names);
    },
  };
  return { ...process, metrics: noted };
}

async function scrape(admin: string, declared: ReadonlyMap<string, readonly string[]>): Promise<readonly Exported[]> {
  const answer = await fetch(`http://${admin}/metrics`);
  const lines = (await answer.text()).split('\n');
  const types = new Map(typesIn(lines));
  return lines.flatMap((line) => {
    const [, name, help] = /^# HELP (\S+) (.*)$/.exec(line) ?? [];
    if (name === undefined || help === undefined) return [];
    return [{ name, help, type: types.get(name) ?? 'untyped', labels: declared.get(name) ?? labelsIn(lines, name) }];
  });
}

const typesIn = (lines: readonly string[]): [string, string][] =>
  lines.flatMap((line) => {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    return name === undefined || type === undefined ? [] : [[name, type] as [string, string]];
  });

/** Of what `run` itself makes: always with a value. */
function labelsIn(lines: readonly string[], name: string): readonly string[] {
  const sample = lines.find((line) => line.startsWith(`${name}{`));
  return [...(sample ?? '').matchAll(/([a-z_]+)="/g)].map(([, label]) => label as string).filter((label) => label !== 'le');
}

async function writeKubeconfig(path: string, server: string, caFile: string, tokenFile: string): Promise<string> {
  const config = {
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority': caFile } }],
    users: [{ name: 'u', user: { tokenFile } }],
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}
