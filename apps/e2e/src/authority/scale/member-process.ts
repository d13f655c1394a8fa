import { servesUntil } from '@sallyport/authority';
import type { MemberId, PoolId } from '@sallyport/model';
import { createClock, createLog, randomId } from '@sallyport/process';
import type { Instance } from '@sallyport/proxy';
import { createHosted, type Following, followGateway, type GatewayPort } from '@sallyport/supervisor/member';
import { call, openLink, openStream, openTlsFiles, supervisorV1 } from '@sallyport/wire';

/** Several supervisors in one process: the whole control side of each, and no data plane. Told what to be by its first message. */
export interface MembersOrder {
  readonly gateways: readonly string[];
  readonly tls: { readonly caFile: string; readonly certFile: string; readonly keyFile: string };
  readonly pool: string;
  readonly domain: string;
  readonly trustDomain: string;
  readonly credentials: readonly string[];
}

/** Each second: how many sandboxes are hosted and may be served now, and the least time that any lease has left. */
export interface MembersReport {
  readonly hostedCount: number;
  readonly servingCount: number;
  readonly leastLeftMs: number;
}

const REPORT_EVERY_MS = 1_000;
const clock = createClock();
const log = createLog({ level: 'error' });
const methods = supervisorV1.SupervisorServiceService;

/** What a data plane would obey, and nobody is served by. */
const noDataPlane = (sandboxId: Instance['sandboxId']): Instance => ({
  sandboxId,
  update: () => [],
  withdraw: () => undefined,
  stop: () => undefined,
  sweep: () => undefined,
  counters: () => ({ requestCount: 0, liveStreamCount: 0, connectionCount: 0, idleAppConnectionCount: 0 }),
});

async function begin(order: MembersOrder): Promise<void> {
  const tls = await openTlsFiles(order.tls);
  if (!tls.ok) throw new Error(tls.error);
  const server = { kind: 'app', app: 'gateway', trustDomain: order.trustDomain } as const;
  const members = order.credentials.map((credential, index): Following => {
    const memberId = randomId() as MemberId;
    const gateways = order.gateways.map((target): GatewayPort => {
      const link = openLink({ target, tls: tls.value, showsCertificate: true, server });
      return {
        join: (signal) => openStream(link, methods.join, { signal }),
        session: (signal) => openStream(link, methods.session, { signal }),
        poll: (request, options) => call(link, methods.pollConfiguration, request, options),
      };
    });
    return followGateway({
      gateways,
      memberId,
      poolId: order.pool as PoolId,
      credential: () => credential,
      delivery: 'push',
      advertises: true,
      memberState: () => ({ ready: true, draining: false, appPort: 20_000 + index, capacity: 10_000 }),
      host: (assignment) =>
        createHosted({
          assignment,
          memberId,
          instance: noDataPlane(assignment.sandboxId),
          rules: { domain: order.domain, ownPorts: new Set(), claims: () => undefined },
          ready: () => true,
          clock,
          log,
        }),
      random: Math.random,
      clock,
      log,
    });
  });

  clock.every(REPORT_EVERY_MS, () => {
    let [hostedCount, servingCount, leastLeftMs] = [0, 0, Number.POSITIVE_INFINITY];
    for (const member of members) {
      for (const hosted of member.hosted()) {
        hostedCount += 1;
        const left = servesUntil(hosted.state().standing) - clock.now();
        if (left > 0 && hosted.servedHosts().length > 0) servingCount += 1;
        leastLeftMs = Math.min(leastLeftMs, left);
      }
    }
    process.send?.({ hostedCount, servingCount, leastLeftMs } satisfies MembersReport);
  });
}

process.once('message', (order: MembersOrder) => void begin(order));
// Whoever began us is gone.
process.once('disconnect', () => process.exit(0));
