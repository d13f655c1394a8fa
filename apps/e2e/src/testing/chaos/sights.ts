import { call, discoveryV1 } from '@sallyport/wire';
import { nowMs, type Sight } from './evidence.ts';
import type { Installation } from './installation.ts';

/** What discovery shows of each sandbox, asked all the time. */
export interface Sights {
  readonly sights: readonly Sight[];
  stop(): Promise<void>;
}

const ASK_EVERY_MS = 200;
const DEADLINE_MS = 1_000;

export function watchSights({ sandboxes, discoveryLink, adminToken }: Installation): Sights {
  const sights: Sight[] = [];
  const open = new Set<Promise<void>>();
  const timer = setInterval(() => {
    for (const { name, host } of sandboxes) {
      const askedAt = nowMs();
      const options = { deadlineMs: DEADLINE_MS, bearer: adminToken };
      const asked = call(discoveryLink, discoveryV1.DiscoveryServiceService.resolve, { host }, options).then((answer) => {
        const record = answer.ok ? answer.value.record : undefined;
        const seen = { sandbox: name, askedAt, answeredAt: nowMs() };
        const shows = record?.endpoint !== undefined && record.ttlMs > 0;
        sights.push(shows ? { ...seen, shown: { port: record.endpoint?.port ?? 0, ttlMs: record.ttlMs } } : seen);
        open.delete(asked);
      });
      open.add(asked);
    }
  }, ASK_EVERY_MS);
  return {
    sights,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}
