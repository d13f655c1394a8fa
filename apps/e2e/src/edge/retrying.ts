import { get } from '../authority/rig/prober.ts';

/** A question that was asked again once, as browsers and most clients do; times are milliseconds of `performance.now()`. */
export interface Asked {
  readonly port: number;
  readonly host: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** `ok`, or what came of the second try. */
  readonly outcome: string;
  /** What came of the first, where that was not `ok`. */
  readonly first?: string;
}

export interface Clients {
  readonly asked: readonly Asked[];
  stop(): Promise<void>;
}

const ASK_EVERY_MS = 50;
/**
 * Of each port's hosts, in turn. Every question is a handshake of TLS at both ends, on a machine that is also all the servers: with eight
 * hosts at once, 320 of them each second, a supervisor that has taken them all over has no processor left to answer.
 */
const HOSTS_AT_ONCE_MAX = 2;
const RETRY_MS = 100;

/** Asks up to two hosts at each port each 50 ms, all of them in turn, on a connection of its own, for an answer that nobody else gets. */
export function startClients(hosts: () => readonly string[], ports: () => readonly number[], ca: string): Clients {
  const asked: Asked[] = [];
  const open = new Set<Promise<void>>();
  let count = 0;

  async function ask(host: string, port: number): Promise<void> {
    count += 1;
    const path = `/${host}/${count}`;
    const sentAt = performance.now();
    let outcome = await get(host, port, ca, path);
    const first = outcome;
    if (first !== 'ok') {
      await new Promise((again) => setTimeout(again, RETRY_MS));
      outcome = await get(host, port, ca, path);
    }
    asked.push({ port, host, sentAt, answeredAt: performance.now(), outcome, ...(first === 'ok' ? {} : { first }) });
  }

  let turn = 0;
  const timer = setInterval(() => {
    const all = hosts();
    const next = Array.from({ length: Math.min(all.length, HOSTS_AT_ONCE_MAX) }, () => all[turn++ % all.length] as string);
    for (const port of ports())
      for (const host of next) {
        const one = ask(host, port).finally(() => open.delete(one));
        open.add(one);
      }
  }, ASK_EVERY_MS);
  return {
    asked,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}

/** The longest stretch in which no question of the host at the port, asked again once, came to a good end. */
export function longestGapMs(asked: readonly Asked[], from: number, to: number): number {
  const gaps = [...Map.groupBy(asked, ({ host, port }) => `${host} ${port}`).values()].map((of) => {
    const good = of
      .filter(({ outcome, sentAt }) => outcome === 'ok' && sentAt >= from && sentAt <= to)
      .map((each) => each.answeredAt);
    const marks = [from, ...good.sort((a, b) => a - b), Math.max(to, good.at(-1) ?? to)];
    return Math.max(...marks.slice(1).map((at, index) => at - (marks[index] as number)));
  });
  return Math.max(0, ...gaps);
}

/** What clients saw instead of good answers, and how often; first tries and second ones. */
export function seen(asked: readonly Asked[], from: number): { readonly first: Counts; readonly last: Counts } {
  const since = asked.filter(({ sentAt }) => sentAt >= from);
  return { first: counts(since.map(({ first }) => first)), last: counts(since.map(({ outcome }) => outcome)) };
}

type Counts = Readonly<Record<string, number>>;

function counts(outcomes: readonly (string | undefined)[]): Counts {
  const found: Record<string, number> = {};
  for (const outcome of outcomes) if (outcome !== undefined && outcome !== 'ok') found[outcome] = (found[outcome] ?? 0) + 1;
  return found;
}
