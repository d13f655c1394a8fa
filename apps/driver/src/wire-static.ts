import { CannotStart, type Process } from '@sallyport/process';
import type { Config } from './config.ts';
import { type DriverServer, serveDriver } from './serve.ts';
import { createStaticDriver } from './static-driver.ts';
import { readStaticFile } from './static-file.ts';

/** How often the file is looked at; milliseconds. */
const REFRESH_MS = 2_000;

export async function wireStatic(config: Config, process: Process): Promise<DriverServer> {
  const { clock, log } = process;
  const { staticFile } = config;
  if (staticFile === undefined) throw new CannotStart('--backend static needs --static-file');
  const first = await readStaticFile(staticFile);
  if (!first.ok) throw new CannotStart(first.error);
  const driver = createStaticDriver(first.value);
  const server = await serveDriver(driver, config, process);

  let problem: string | undefined;
  const cancel = clock.every(REFRESH_MS, () => void refresh(staticFile));
  async function refresh(path: string): Promise<void> {
    const next = await readStaticFile(path);
    // Half a configuration is worse than the old one.
    if (next.ok) driver.apply(next.value);
    else if (next.error !== problem) log.error({ problem: next.error }, 'workloads not taken: the old ones stay');
    problem = next.ok ? undefined : next.error;
  }

  return {
    ...server,
    drain(deadline) {
      cancel();
      return server.drain(deadline);
    },
  };
}
