import { call, discoveryV1, type Link } from '@sallyport/wire';

/** What discovery says of one host, asked each 100 ms. */
export interface Sight {
  /** When it was asked; what it shows was so at some moment from then until it was answered. */
  readonly at: number;
  readonly answeredAt: number;
  /** "address:port" and how long it may be used; or why not. */
  readonly shown: { readonly endpoint: string; readonly ttlMs: number } | undefined;
  readonly why: string;
}

export interface PublicationWatch {
  readonly sights: readonly Sight[];
  stop(): Promise<void>;
}

const ASK_EVERY_MS = 100;
const DEADLINE_MS = 1_000;

export function watchPublication(link: Link, bearer: string, host: string): PublicationWatch {
  const sights: Sight[] = [];
  const open = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const at = performance.now();
    const asked = call(link, discoveryV1.DiscoveryServiceService.resolve, { host }, { deadlineMs: DEADLINE_MS, bearer }).then(
      (answer) => {
        const record = answer.ok ? answer.value.record : undefined;
        const { address, port } = record?.endpoint ?? { address: '', port: 0 };
        const shown =
          record === undefined || record.ttlMs === 0 ? undefined : { endpoint: `${address}:${port}`, ttlMs: record.ttlMs };
        sights.push({
          at,
          answeredAt: performance.now(),
          shown,
          why: answer.ok ? '' : `${answer.error.kind}: ${answer.error.message}`,
        });
        open.delete(asked);
      },
    );
    open.add(asked);
  }, ASK_EVERY_MS);
  return {
    sights,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}

/** The longest stretch between two moments at which the host was shown; both ends count. */
export function longestHiddenMs(sights: readonly Sight[], from: number, to: number): number {
  const shown = sights.filter((sight) => sight.shown !== undefined && sight.at >= from && sight.at <= to).map(({ at }) => at);
  const marks = [from, ...shown.sort((a, b) => a - b), to];
  return Math.max(...marks.slice(1).map((at, index) => at - (marks[index] as number)));
}
