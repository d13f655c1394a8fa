import { gatewayV1 } from '@sallyport/wire';
import { expect } from 'vitest';
import type { Scene } from '../../rig/case.ts';
import { milliseconds } from '../../rig/figures.ts';
import { get, longestGapMs, type Probe } from '../../rig/prober.ts';
import { longestHiddenMs } from '../../rig/publication.ts';
import { sleep, until } from '../../rig/until.ts';

const methods = gatewayV1.GatewayServiceService;
const FRESHNESS_MS = 30_000;

/** A shared supervisor proves itself to the driver, so a bump ends its session and it comes back by itself. */
export async function credentialBumped({ installation, served, probes, sights }: Scene): Promise<void> {
  const at = performance.now();
  await installation.ask(methods.bumpCredential, { name: served.name });
  await sleep(8_000);
  const end = performance.now();
  milliseconds('credential bumped (shared)', 'longest time without a good answer', longestGapMs(probes, at, end - 2_100));
  milliseconds('credential bumped (shared)', 'longest time not shown by discovery', longestHiddenMs(sights, at, end - 1_100));
  expect(probes.at(-1)?.outcome).toBe('ok');
  expect(sights.at(-1)?.shown).toBeDefined();
  expect(longestHiddenMs(sights, at, end - 1_100)).toBeGreaterThan(0);
}

/** A supervisor that lives on a sandbox token is worth nothing once it is revoked: hidden at once, dark within 30 s. */
export async function tokenRevoked({ installation, app }: Scene): Promise<void> {
  const served = await installation.serve('own', app.port, true);
  const supervisor = await installation.supervise({ pool: served.poolId, credential: served.token, listens: true });
  const port = supervisor.address('app').port;
  const answers = (): Promise<string> => get(served.host, port, installation.pki.ca, '/own');
  await until('the dedicated supervisor serves', async () => (await answers()) === 'ok', 15_000);
  const { supervisorToken } = await installation.ask(methods.bumpCredential, { name: served.name });
  const dark = await until('it serves no more', async () => (await answers()) !== 'ok', FRESHNESS_MS + 1_000);
  milliseconds('credential bumped (own token)', 'last good answer', dark, `< ${FRESHNESS_MS}`);
  expect(await answers()).toBe('503 not_fresh');
  // With the new token it is somebody again.
  await supervisor.kill();
  const again = await installation.supervise({ pool: served.poolId, credential: supervisorToken, listens: true });
  const serves = async (): Promise<boolean> =>
    (await get(served.host, again.address('app').port, installation.pki.ca, '/own')) === 'ok';
  milliseconds('credential bumped (own token)', 'served by the new token after', await until('served again', serves, 70_000));
}

/** A configuration that the supervisor refuses: nothing of it serves, nor what it replaced; mending it brings all back. */
export async function configurationRejected({ installation, served, probes, sights }: Scene): Promise<void> {
  const [supervisor] = installation.supervisors;
  const ownPort = supervisor?.address('app').port ?? 0;
  const name = { ...served.name, service: 'loop' };
  const at = performance.now();
  await installation.ask(methods.exposeService, { name, port: ownPort, policy: undefined });
  const withdrawn = await until('the old routes serve no more', () => probes.at(-1)?.outcome === '404 route_withdrawn', 5_000);
  milliseconds('configuration rejected', 'what it replaced serves no more after', withdrawn);
  const hidden = await until('hidden', () => sights.at(-1)?.shown === undefined, 5_000);
  milliseconds('configuration rejected', 'hidden after', withdrawn + hidden);
  const rejected = (await installation.state(served.host))?.state;
  const heard = (await installation.state(served.host, 1))?.state;
  expect([rejected, heard]).toContain(gatewayV1.ServiceState.SERVICE_STATE_REJECTED);
  // Longer than a silence that is suspected: a rejection is a sign of life, not of death.
  await sleep(20_000);
  expect(goodSince(probes, at + withdrawn)).toBe(false);
  const mendedAt = performance.now();
  await installation.ask(methods.deleteService, { name });
  milliseconds(
    'configuration rejected',
    'mended: served again after',
    await until('served', () => goodSince(probes, mendedAt), 5_000),
  );
  await until('shown', () => sights.at(-1)?.shown !== undefined, 5_000);
  milliseconds('configuration rejected', 'mended: shown again after', performance.now() - mendedAt);
}

const goodSince = (probes: readonly Probe[], at: number): boolean =>
  probes.some(({ outcome, sentAt }) => outcome === 'ok' && sentAt > at);
