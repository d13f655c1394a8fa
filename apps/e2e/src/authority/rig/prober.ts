import { Agent, request } from 'node:https';

/** One question from outside and what came of it. Times are milliseconds of `performance.now()`. */
export interface Probe {
  readonly id: string;
  readonly port: number;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** `ok`, a status with the proxy's own code, or the error of a connection. */
  readonly outcome: string;
}

/** Asks again and again, and keeps what came of it. */
export interface Asking<Answer> {
  readonly probes: readonly Answer[];
  stop(): Promise<void>;
}
export type Prober = Asking<Probe>;

export const PROBE_EVERY_MS = 50;
const ANSWER_MS = 2_000;
/** Who has not asked for longer was not running. */
const STOOD_STILL_MS = 2 * PROBE_EVERY_MS;

/** Asks each of these each 50 ms, whether or not it has answered. */
export function askEach<Target, Answer>(
  targets: () => readonly Target[],
  ask: (target: Target, count: number) => Promise<Answer>,
): Asking<Answer> {
  const probes: Answer[] = [];
  const open = new Set<Promise<void>>();
  let count = 0;
  const timer = setInterval(() => {
    for (const target of targets()) {
      count += 1;
      const asked = ask(target, count).then((answer) => {
        probes.push(answer);
        open.delete(asked);
      });
      open.add(asked);
    }
  }, PROBE_EVERY_MS);
  return {
    probes,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}

/** A real TLS client, with an id of its own each time. */
export function startProber(host: string, ca: string, ports: () => readonly number[]): Prober {
  return askEach(ports, async (port, count) => {
    const id = `${port}-${count}`;
    const sentAt = performance.now();
    const outcome = await get(host, port, ca, `/${id}`);
    return { id, port, sentAt, answeredAt: performance.now(), outcome };
  });
}

/** A connection of its own for each request: a reused one would hide a listener that is gone. */
export function get(host: string, port: number, ca: string, path: string): Promise<string> {
  return new Promise((resolve) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        servername: host,
        path,
        ca,
        agent: new Agent({ keepAlive: false, maxCachedSessions: 0 }),
        headers: { host },
        timeout: ANSWER_MS,
      },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        response.on('error', (error) => resolve(`cut: ${error.message}`));
        response.on('end', () => {
          const code = response.headers['sallyport-error'];
          if (response.statusCode === 200) resolve(body === path ? 'ok' : `foreign answer: ${body.slice(0, 40)}`);
          else resolve(`${response.statusCode} ${String(code ?? '')}`);
        });
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.end();
  });
}

/**
 * The longest time between two good answers in a stretch, by when they were asked for, and both ends count. What the prober
 * itself stood still for is left out: its process shares the processors with the whole installation, and nobody asked then.
 */
export function longestGapMs(probes: readonly Pick<Probe, 'sentAt' | 'outcome'>[], from: number, to: number): number {
  const asked = probes.filter(({ sentAt }) => sentAt >= from && sentAt <= to).sort((a, b) => a.sentAt - b.sentAt);
  if (asked.length === 0) return to - from;
  let [longest, gap, last] = [0, 0, from];
  for (const { sentAt, outcome } of [...asked, { sentAt: to, outcome: 'ok' }]) {
    gap += Math.min(sentAt - last, STOOD_STILL_MS);
    last = sentAt;
    longest = Math.max(longest, gap);
    if (outcome === 'ok') gap = 0;
  }
  return longest;
}

/** What came instead of good answers, and how often, at the ports that gave any: a supervisor that owns nothing refuses all. */
export function refusals(probes: readonly Probe[], from: number, to: number): Record<string, number> {
  const within = probes.filter(({ sentAt }) => sentAt >= from && sentAt <= to);
  const serving = new Set(within.filter(({ outcome }) => outcome === 'ok').map(({ port }) => port));
  const counts: Record<string, number> = {};
  for (const { outcome, port } of within) if (outcome !== 'ok' && serving.has(port)) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** Moments at which two ports both answered: asked of one after the other had answered, and the other way round again. */
export function overlaps(probes: readonly Probe[]): readonly string[] {
  const good = probes.filter(({ outcome }) => outcome === 'ok').sort((a, b) => a.sentAt - b.sentAt);
  const seen: number[] = [];
  const found: string[] = [];
  for (const { port, id } of good) {
    if (seen.at(-1) === port) continue;
    if (seen.includes(port)) found.push(`${port} answered ${id} again after ${seen.at(-1)} had taken over`);
    seen.push(port);
  }
  return found;
}
