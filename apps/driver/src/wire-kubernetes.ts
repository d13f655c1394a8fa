import { hostname } from 'node:os';
import { createKubeClient, inClusterAccess, openCredentials, readKubeconfig, STALE_MS } from '@sallyport/kube';
import { CannotStart, type Process } from '@sallyport/process';
import type { Config } from './config.ts';
import { createKubernetesDriver, type KubernetesDriver } from './kubernetes-driver.ts';
import { type DriverServer, serveDriver } from './serve.ts';

export async function wireKubernetes(config: Config, process: Process): Promise<DriverServer> {
  const { clock, log } = process;
  const { kubeconfig, context, ...asked } = config.kubernetes;
  const access = kubeconfig === undefined ? inClusterAccess(globalThis.process.env) : await readKubeconfig(kubeconfig, context);
  if (!access.ok) throw new CannotStart(access.error);
  const credentials = await openCredentials(access.value, {
    clock,
    onProblem: (problem) => log.error({ problem }, 'credentials for the API server not taken: the old ones stay'),
  });
  if (!credentials.ok) throw new CannotStart(credentials.error);
  const client = createKubeClient(access.value, credentials.value);
  const driver = createKubernetesDriver(
    { ...asked, appEndpoints: asked.appEndpoints === 'on' },
    { client, clock, log, random: Math.random, unixMs: Date.now, instance: hostname() },
  );
  if (asked.accounts.length === 0) log.warn({}, 'no --supervisor-account: no supervisor can prove itself by a token of its Pod');
  observe(driver, process);
  const server = await serveDriver(driver, config, process);
  return {
    ...server,
    ready: () => [...server.ready(), readiness(driver)],
    async drain(deadline) {
      await server.drain(deadline);
      driver.stop();
      credentials.value.close();
      await client.close();
    },
  };
}

/** A driver that sees nothing is of no use, and says so; gateways keep what they know meanwhile. */
function readiness({ pods }: KubernetesDriver) {
  const age = pods.ageMs();
  const ok = age !== undefined && age <= STALE_MS;
  const detail = age === undefined ? 'the Pods were never listed' : `heard of the Pods ${Math.round(age / 1_000)} s ago`;
  return { name: 'kubernetes', ok, detail };
}

function observe({ pods, claims, podCount }: KubernetesDriver, { metrics }: Process): void {
  const seen = (name: string, help: string, read: () => number): void => metrics.observed(`sallyport_driver_${name}`, help, read);
  seen('cache_age_seconds', 'How old what is known of the Pods may be; -1: nothing is.', () => (pods.ageMs() ?? -1_000) / 1_000);
  seen('pods_held', 'Pods that are observed.', podCount);
  seen('workloads_held', 'Sandboxes that Pods declare.', () => claims.list().length);
  seen('lists_taken', 'Lists since the start, without those of self-checks.', () => pods.counts().lists);
  seen('self_checks_made', 'Self-checks since the start.', () => pods.counts().checks);
  seen('watches_opened', 'Watches since the start.', () => pods.counts().watches);
  seen('changes_lost', 'Differences that self-checks found and mended.', () => pods.counts().differences);
}
