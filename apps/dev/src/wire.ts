import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '@sallyport/files';
import { formatServiceRef, type Host, type PoolId } from '@sallyport/model';
import { CannotStart, type Process, type Running, wait } from '@sallyport/process';
import type { gatewayV1 } from '@sallyport/wire';
import { findUnreachable } from './app-check.ts';
import { cliFor } from './cli-call.ts';
import { type Config, DEFAULT_STATE_DIR } from './config.ts';
import { demoService } from './demo-service.ts';
import { createFollower } from './follower.ts';
import { superviseLate } from './late-sandboxes.ts';
import { startFleet } from './processes/fleet.ts';
import { readyFileOf } from './ready-file.ts';
import type { WantedService } from './service-option.ts';
import { SHARED_POOL, type Stack, startStack } from './stack.ts';
import { claimStateDir, type StateDir } from './state-dir.ts';

/** Everything in one process: the stack, the services that were asked for (or the demo), the screen and the ready file. */
export async function wire(config: Config, process: Process): Promise<Running> {
  const closing: ((deadline: AbortSignal) => unknown)[] = [];
  // All of it, whatever one part meets: the last act takes away the files.
  const close = async (deadline: AbortSignal): Promise<void> => {
    const failures: unknown[] = [];
    for (const act of closing.reverse()) {
      try {
        await act(deadline);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  try {
    return await start(config, process, closing, close);
  } catch (error) {
    // Half a stack must not stay: what was begun is ended before the reason is told.
    await close(AbortSignal.abort());
    throw error;
  }
}

async function start(
  config: Config,
  process: Process,
  closing: ((deadline: AbortSignal) => unknown)[],
  close: (deadline: AbortSignal) => Promise<void>,
): Promise<Running> {
  const { log } = process;
  const missing = await findUnreachable(config.services);
  if (config.services.length > 0 && missing.length === config.services.length && !config.serveAnyway)
    throw new CannotStart(nothingListens(missing));

  const state: StateDir = await claimStateDir(config.stateDir, DEFAULT_STATE_DIR, globalThis.process.pid);
  closing.push(() => state.release());
  const cli = cliFor(state.run, DEFAULT_STATE_DIR);
  const demo = config.services.length === 0 ? await demoService(cli) : undefined;
  if (demo !== undefined) closing.push(() => demo.close());
  const wanted: readonly WantedService[] = demo === undefined ? config.services : [demo.service];

  const { stdout, env } = globalThis.process;
  const follower = createFollower(config, demo !== undefined, cli, stdout, env);
  const stack = config.processes
    ? await startFleet(config, process, state)
    : await startStack(config, process, state, (record) => follower.observe(record));
  closing.push((deadline) => stack.close(deadline));
  // Before the stack, which it asks again and again.
  closing.push(() => follower.close());
  const { declared, pools } = await declareAll(stack, config, wanted);
  await untilServing(stack, declared, process);
  const late = superviseLate(stack, pools, process);
  closing.push(() => late.stop());

  const services = await stack.operator.list();
  const ready = `${JSON.stringify(
    readyFileOf({
      domain: config.domain,
      caFile: stack.caFile,
      services,
      parts: stack.parts(),
      adminTokenFile: stack.adminTokenFile,
      gatewayAddress: stack.gatewayAddress,
      discoveryAddress: stack.discoveryAddress,
    }),
    null,
    2,
  )}\n`;
  const readyFiles = [join(state.run, 'ready.json'), ...(config.readyFile === undefined ? [] : [config.readyFile])];
  for (const file of readyFiles) {
    await writeFileAtomic(file, ready, 0o644);
    closing.push(() => rm(file, { force: true }));
  }
  follower.begin(stack, services, process.clock);
  for (const { ref, port } of missing)
    log.warn({ service: formatServiceRef(ref), port }, 'nothing listens there yet; its page says so and tries again by itself');
  return {
    ready: () => stack.ready(),
    drain: close,
  };
}

const SHARED_CAPACITY = 10_000;

/** Registers and exposes everything, and starts the supervisors that serve it. */
async function declareAll(
  stack: Stack,
  config: Config,
  wanted: readonly WantedService[],
): Promise<{ readonly declared: readonly gatewayV1.Service[]; readonly pools: readonly string[] }> {
  const pools: string[] = [];
  const sandboxes = new Map(
    wanted.map(({ ref }) => [`${ref.workspace}/${ref.sandbox}`, { workspace: ref.workspace, sandbox: ref.sandbox }]),
  );
  if (config.mode === 'shared') await stack.supervise(SHARED_POOL, config.port, SHARED_CAPACITY);
  let port = config.port;
  for (const sandbox of sandboxes.values()) {
    const registered = await stack.operator.register(sandbox, config.mode, config.mode === 'shared' ? SHARED_POOL : '');
    pools.push(registered.poolId);
    if (config.mode === 'shared') continue;
    await stack.supervise(registered.poolId as PoolId, port, 1);
    if (port !== 0) port += 1;
  }
  const declared: gatewayV1.Service[] = [];
  for (const service of wanted) declared.push(await stack.operator.expose(service));
  return { declared, pools };
}

/** Far more than a busy machine needs: past it something is wrong. */
const SERVING_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 20;

async function untilServing(stack: Stack, declared: readonly gatewayV1.Service[], { clock, stopping }: Process): Promise<void> {
  const until = clock.now() + SERVING_WITHIN_MS;
  const hosts = new Set(declared.map(({ host }) => host as Host));
  for (;;) {
    const serving = await stack.served(hosts);
    const services = await stack.operator.list();
    // Where each sandbox has a supervisor of its own, the port of a URL is known once the service is published.
    const published = services.filter(({ host, endpoint }) => hosts.has(host as Host) && endpoint !== '');
    if (serving.size === hosts.size && published.length === hosts.size) return;
    const rejected = services.find(({ detail }) => detail.includes('rejected'));
    if (rejected !== undefined) throw new CannotStart(`${rejected.host} is not served: ${rejected.detail}`);
    if (clock.now() > until) {
      const waiting = services.find(({ host }) => hosts.has(host as Host) && !serving.has(host as Host));
      throw new CannotStart(
        `${waiting?.host ?? 'a service'} is not served after ${SERVING_WITHIN_MS / 1_000} s${waiting === undefined ? '' : `: ${waiting.detail}`}; run again with --log-level=debug`,
      );
    }
    if ((await wait(clock, LOOK_EVERY_MS, stopping)) === 'aborted') return;
  }
}

const nothingListens = (missing: readonly WantedService[]): string => {
  const ports = [...new Set(missing.map(({ port }) => `127.0.0.1:${port}`))].join(', ');
  return `nothing listens on ${ports}: start your application first, correct the port, or serve it anyway with --serve-anyway`;
};
