import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { credentialHash } from '@sallyport/driver';
import { gatewayV1 } from '@sallyport/wire';
import { type Installation, POOL, target } from '../rig/installation.ts';
import { DOMAIN, TRUST_DOMAIN } from '../rig/pki.ts';
import { sleep } from '../rig/until.ts';
import type { MembersOrder, MembersReport } from './member-process.ts';

export interface Crowd {
  readonly pids: readonly number[];
  /** The newest word of every process, summed up. */
  now(): MembersReport;
  /** Ends one of the processes at once, with all its supervisors. */
  kill(index: number): void;
  close(): Promise<void>;
}

const methods = gatewayV1.GatewayServiceService;
/** Operators' calls under way at once. */
const CALLS_MAX = 32;
const EXEC_ARGV = ['--conditions=@sallyport/source', '--disable-warning=ExperimentalWarning'];

/** Registers so many sandboxes, each with one service, through the operator port. */
export async function registerMany(installation: Installation, count: number): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const name = { workspace: 'team', sandbox: `box-${index}` };
      await installation.ask(methods.registerSandbox, { name, mode: 2, poolId: POOL, runtimeId: `run-${index}` });
      await installation.ask(methods.exposeService, { name: { ...name, service: 'web' }, port: 8_080, policy: undefined });
    }
  };
  await Promise.all(Array.from({ length: CALLS_MAX }, work));
}

export async function startCrowd(
  installation: Installation,
  { processCount, membersEach }: { readonly processCount: number; readonly membersEach: number },
): Promise<Crowd> {
  const credentials = Array.from({ length: processCount * membersEach }, () => randomBytes(24).toString('base64url'));
  const supervisors = credentials.map((credential, index) => ({
    uid: `member-${index}`,
    pool: POOL,
    address: '127.0.0.1',
    credentialSha256: credentialHash(credential),
  }));
  await writeFile(join(installation.folder, 'driver-static.json'), JSON.stringify({ workloads: [], supervisors }));
  // The driver looks at its file every 2 s.
  await sleep(2_500);
  const tls = await installation.pki.internal('supervisor');
  const reports = new Map<ChildProcess, MembersReport>();
  const children = Array.from({ length: processCount }, (_, index) => {
    const child = fork(new URL('./member-process.ts', import.meta.url), {
      execArgv: EXEC_ARGV,
      env: { PATH: process.env.PATH ?? '' },
    });
    child.on('message', (report: MembersReport) => void reports.set(child, report));
    child.send({
      gateways: installation.gateways.map((gateway) => target(gateway, 'supervisor')),
      tls,
      pool: POOL,
      domain: DOMAIN,
      trustDomain: TRUST_DOMAIN,
      credentials: credentials.slice(index * membersEach, (index + 1) * membersEach),
    } satisfies MembersOrder);
    return child;
  });
  return {
    pids: children.map(({ pid }) => pid as number),
    now: () =>
      [...reports.values()].reduce(
        (a, b) => ({
          hostedCount: a.hostedCount + b.hostedCount,
          servingCount: a.servingCount + b.servingCount,
          leastLeftMs: Math.min(a.leastLeftMs, b.leastLeftMs),
        }),
        { hostedCount: 0, servingCount: 0, leastLeftMs: Number.POSITIVE_INFINITY },
      ),
    kill(index) {
      const child = children[index];
      if (child === undefined) return;
      reports.delete(child);
      child.kill('SIGKILL');
    },
    async close() {
      await Promise.all(
        children.map(async (child) => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const ended = new Promise((done) => child.once('exit', done));
          child.kill('SIGKILL');
          await ended;
        }),
      );
    },
  };
}
