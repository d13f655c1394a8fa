import { expect, test } from 'vitest';
import { milliseconds } from '../authority/rig/figures.ts';
import { sleep, until } from '../authority/rig/until.ts';
import { describeCluster, onInstallation } from './cluster/cases.ts';
import { hostOf, type Installation } from './cluster/installation.ts';
import type { LocalCluster } from './cluster/local/cluster.ts';
import { answersAfterTakeover, startProber } from './cluster/probes.ts';
import {
  labelAndServe,
  pastTheGrace,
  sandboxMarks,
  strayPlaces,
  untilPublished,
  untilRefused,
  untilServed,
  untilUnpublished,
} from './cluster/served.ts';

const CASE = 'faults of a cluster';
const OUTAGE_MS = 60_000;
/** A driver that has heard nothing for 60 s names no endpoint, what was named before stands for 15 s, and that is seen at a beat of 5 s. */
const WITHHELD_WITHIN_MS = 85_000;
const localOf = ({ cluster }: Installation): LocalCluster => cluster.local as LocalCluster;
const inCase = (name: string, body: (installation: Installation) => Promise<void>): void =>
  test(name, () => onInstallation(name.replace(/\W+/g, '-').slice(0, 60), 'faults', body), 300_000);

/** What nobody does to a cluster of theirs; each on an installation of its own. */
describeCluster('faults', CASE, () => {
  inCase(
    'the address of a sandbox’s Pod is given to another one at once: neither is reached by the other’s name',
    async (installation) => {
      const { cluster } = installation;
      const supervisor = await installation.supervise('supervisor');
      const client = await installation.client('client');
      const first = await installation.work('first', {});
      const before = await labelAndServe(installation, client, first, supervisor, 'first');
      const tunnel = await client.tunnel(supervisor, hostOf('first'));
      const prober = startProber(client, hostOf('first'), [supervisor]);
      await sleep(1_000);
      await cluster.end(first.pod, { force: true });
      // Same address, same port of its own; another application with a boundary of its own.
      const services = `web=${first.appPort}`;
      const { labels } = sandboxMarks('second', services);
      const second = await installation.work('second', { labels, address: first.pod.address, appPort: first.appPort });
      expect(second.pod.address).toBe(first.pod.address);
      const after = await untilServed(client, supervisor, hostOf('second'));
      await untilRefused(client, supervisor, hostOf('first'), ['route_withdrawn']);
      await sleep(3_000);
      await prober.stop();
      // Whatever was answered by the first one's name was its own answer.
      expect(prober.probes.filter(({ memory }) => memory !== '' && memory !== before.answer.memory)).toEqual([]);
      expect(prober.probes.some(({ outcome }) => outcome === 'ok')).toBe(true);
      expect(after.memory).not.toBe(before.answer.memory);
      expect(tunnel.closedAt()).toBeDefined();
    },
  );

  inCase(
    'the address of a supervisor’s Pod is given to another one at once: it is never published for the next owner',
    async (installation) => {
      const { cluster, publication } = installation;
      const host = hostOf('box');
      const first = await installation.supervise('first');
      const client = await installation.client('client');
      const box = await installation.work('box', {});
      await labelAndServe(installation, client, box, first, 'box');
      await untilPublished(installation, host, first);
      await pastTheGrace(installation);
      const next = await installation.supervise('next');
      await cluster.end(first, { force: true });
      const at = performance.now();
      // A supervisor as well, with the same certificates, at the same address and port: of another pool.
      const stranger = await installation.supervise('stranger', { pool: 'red', address: first.address });
      await untilServed(client, next, host);
      milliseconds(CASE, 'supervisor’s Pod gone and its address taken, to the next owner’s first 200', performance.now() - at);
      await untilPublished(installation, host, next);
      await sleep(5_000);
      expect(strayPlaces(publication.sights, host)).toEqual([]);
      const shown = publication.sights.flatMap((sight) =>
        sight.host === host && sight.shown !== undefined ? [sight.shown] : [],
      );
      expect(shown.some(({ podUid }) => podUid === stranger.uid)).toBe(false);
      const epochs = shown.filter(({ address }) => address === first.address).map(({ ownerEpoch }) => ownerEpoch);
      expect(shown.filter(({ ownerEpoch }) => ownerEpoch > (epochs.at(-1) ?? 0n)).map(({ address }) => address)).not.toContain(
        first.address,
      );
      expect((await client.get(stranger, { host })).status).not.toBe(200);
    },
  );

  inCase(
    'the node of the owner is lost: the next owner is published, the lost one serves nothing when it is back',
    async (installation) => {
      const { cluster, publication } = installation;
      const { node } = localOf(installation);
      const host = hostOf('box');
      const first = await installation.supervise('first');
      const client = await installation.client('client');
      const box = await installation.work('box', {});
      const before = await labelAndServe(installation, client, box, first, 'box');
      await untilPublished(installation, host, first);
      await pastTheGrace(installation);
      const next = await installation.supervise('next');
      const prober = startProber(client, host, [first, next]);
      node.lose(['first']);
      const at = performance.now();
      const after = await untilServed(client, next, host, 60_000);
      milliseconds(CASE, 'node of the owner lost to the next owner’s first 200', performance.now() - at, 'under 20000 ms');
      expect(performance.now() - at).toBeLessThan(20_000);
      expect([after.pid, after.memory]).toEqual([before.answer.pid, before.answer.memory]);
      await untilPublished(installation, host, next);
      // Found out by the cluster long after; then the machine is back with everything that it was in the middle of.
      node.declareLost(['first']);
      node.find(['first']);
      await sleep(5_000);
      await prober.stop();
      expect(answersAfterTakeover(prober.probes, 'first', 'next')).toBe(0);
      expect(strayPlaces(publication.sights, host)).toEqual([]);
      await cluster.end(first, { force: true });
    },
  );

  inCase(
    'the node of the sandbox is lost: its clients are told, and its next life on another node is served',
    async (installation) => {
      const { cluster } = installation;
      const { node } = localOf(installation);
      const host = hostOf('box');
      const supervisor = await installation.supervise('supervisor');
      const client = await installation.client('client');
      const { labels } = sandboxMarks('box', '');
      const box = await installation.work('box', { labels });
      const before = await untilServed(client, supervisor, host);
      await client.tunnel(supervisor, host);
      node.lose(['box']);
      const at = performance.now();
      const { status, code } = await client.get(supervisor, { host, withinMs: 30_000 });
      milliseconds(CASE, `node of the sandbox lost to the answer that says so, ${status} ${code}`, performance.now() - at);
      expect([502, 503, 504]).toContain(status);
      node.declareLost(['box']);
      // What a cluster does after its five minutes: the Pod goes, and another one comes.
      await cluster.end(box.pod, { force: true });
      await installation.work('box', { labels });
      const after = await untilServed(client, supervisor, host);
      expect(after.memory).not.toBe(before.memory);
    },
  );

  inCase(
    'the API server is away for 60 s: all is served, nothing untrue is published, and what changed meanwhile is followed',
    async (installation) => {
      const { api } = localOf(installation);
      const { cluster, publication } = installation;
      const host = hostOf('box');
      const supervisor = await installation.supervise('supervisor');
      const client = await installation.client('client');
      const box = await installation.work('box', {});
      const late = await installation.work('late', {});
      await labelAndServe(installation, client, box, supervisor, 'box');
      await untilPublished(installation, host, supervisor);
      const prober = startProber(client, host, [supervisor]);
      const startedAt = performance.now();
      // For the driver alone: the case goes on making and labelling Pods.
      const restore = api.cutOff((username) => username.endsWith(':driver'));
      await cluster.mark(late.pod, sandboxMarks('late', `web=${late.appPort}`));
      await until('it may be published no longer', () => performance.now() - startedAt > OUTAGE_MS, OUTAGE_MS + 1_000);
      expect(publication.sights.filter((sight) => sight.host === hostOf('late'))).toEqual([]);
      await untilUnpublished(installation, host, WITHHELD_WITHIN_MS - OUTAGE_MS);
      milliseconds(CASE, 'API server away to unpublished', performance.now() - startedAt, `60000 to ${WITHHELD_WITHIN_MS} ms`);
      restore();
      const backAt = performance.now();
      await untilPublished(installation, host, supervisor, 60_000);
      milliseconds(CASE, 'API server back to published', performance.now() - backAt);
      await untilServed(client, supervisor, hostOf('late'), 60_000);
      await prober.stop();
      expect(prober.probes.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
      expect(strayPlaces(publication.sights, host)).toEqual([]);
    },
  );

  inCase(
    'all tokens are replaced and the old ones end: the driver follows on, and supervisors come back with the new ones',
    async (installation) => {
      const { api, node } = localOf(installation);
      const supervisor = await installation.supervise('supervisor');
      const client = await installation.client('client');
      const box = await installation.work('box', {});
      await labelAndServe(installation, client, box, supervisor, 'box');
      const prober = startProber(client, hostOf('box'), [supervisor]);
      for (const name of ['driver', 'supervisor']) await node.renewTokens(name);
      // Every watch is opened anew, now with the new token; so are the sessions, at gateways that know nothing of the old ones.
      api.watches.break();
      const fresh = await installation.work('fresh', {});
      const { servedMs } = await labelAndServe(installation, client, fresh, supervisor, 'fresh');
      milliseconds(CASE, 'label to first 200 after tokens were replaced', servedMs);
      await installation.stopGateways();
      await installation.startGateways();
      await until(
        'the supervisor is back with both',
        async () => (await client.get(supervisor, { host: hostOf('fresh') })).status === 200,
        60_000,
      );
      const last = await installation.work('last', {});
      await labelAndServe(installation, client, last, supervisor, 'last');
      await prober.stop();
      expect(prober.probes.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
      expect(node.container('supervisor').restarts + node.container('driver').restarts).toBe(0);
    },
  );
});
