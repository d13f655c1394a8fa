import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppProcess } from '../../authority/rig/app-process.ts';
import { isReady } from '../../authority/rig/installation.ts';
import { DOMAIN, type Pki } from '../../authority/rig/pki.ts';
import { until } from '../../authority/rig/until.ts';
import { nowMs } from './evidence.ts';
import type { SandboxWanted } from './installation.ts';
import type { Network } from './network.ts';

export interface Supervisor {
  readonly name: string;
  readonly process: AppProcess;
  readonly port: number;
  /** When each life of its process began. */
  readonly startedAt: number[];
  start(): Promise<void>;
}

export interface SuperviseOptions {
  readonly folder: string;
  readonly pki: Pki;
  readonly network: Network;
  readonly gateways: readonly AppProcess[];
  readonly supervisors: Map<string, Supervisor>;
  readonly start: (name: string, app: string, options: Readonly<Record<string, string>>) => Promise<AppProcess>;
  readonly poolOf: (sandbox: string | undefined) => string;
  /** Tells the driver of it; which looks now and then, and a supervisor asks again until it is taken. */
  readonly know: (uid: string, pool: string, credential: string) => Promise<void>;
}

/** One more for the shared pool, or one for the pool of a sandbox, with ways of its own to each gateway. */
export const createSupervise =
  ({ folder, pki, network, gateways, supervisors, start, poolOf, know }: SuperviseOptions) =>
  async (name: string, sandbox?: SandboxWanted): Promise<Supervisor> => {
    const pool = poolOf(sandbox?.name);
    const credential = randomBytes(24).toString('base64url');
    const credentialFile = join(folder, `${name}.token`);
    await writeFile(credentialFile, credential);
    await know(name, pool, credential);
    const ways = await Promise.all(
      gateways.map((gateway) => network.way(name, gateway.name, gateway.address('supervisor').port)),
    );
    const startedAt = [nowMs()];
    const process = await start(name, 'supervisor', {
      gateway: ways.join(','),
      pool,
      capacity: '100',
      'credential-file': credentialFile,
      delivery: sandbox?.delivery ?? 'push',
      'app-listen': '127.0.0.1:0',
      domain: DOMAIN,
      'app-cert-file': pki.apps.certFile,
      'app-key-file': pki.apps.keyFile,
    });
    const supervisor: Supervisor = {
      name,
      process,
      port: process.address('app').port,
      startedAt,
      async start() {
        const at = nowMs();
        await process.start();
        startedAt.push(at);
      },
    };
    supervisors.set(name, supervisor);
    await until(`${name} has joined`, () => isReady(process), 30_000);
    return supervisor;
  };
