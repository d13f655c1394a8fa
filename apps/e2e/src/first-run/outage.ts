import { DEFAULT_POLICY, type PoolId, parseServiceRef } from '@sallyport/model';
import type { Supervisor } from '@sallyport/supervisor';
import { download, get, openWebSocket } from '../stack/client.ts';
import { startLiveApp } from '../stack/live-app.ts';
import { startInstallation } from './installation.ts';

/** What clients of one sandbox saw while its gateway was away; milliseconds since the gateway began to stop. */
export interface Seen {
  readonly servedUntilMs: number;
  readonly refusedFromMs: number;
  readonly refusal: string;
  readonly status: number;
  readonly streamEndedMs: number;
  /** Whether the download pretended to be whole. */
  readonly streamEndedClean: boolean;
  readonly tunnelEndedMs: number;
  /** Since the gateway was back. */
  readonly resumedMs: number;
}

export type Case = 'dedicated push' | 'dedicated poll' | 'shared push';

interface Subject {
  readonly supervisor: Supervisor;
  readonly url: URL;
}

/** How often a client asks. */
const ASK_EVERY_MS = 50;
/** Past every deadline that there is. */
const OUTAGE_MAX_MS = 45_000;
const RETURN_MAX_MS = 30_000;

/** One gateway goes away from three supervisors at once, until all have stopped serving; then it returns on the same store. */
export async function measureOutage(): Promise<Readonly<Record<Case, Seen>>> {
  const app = await startLiveApp('web');
  const installation = await startInstallation();
  try {
    const subjects: Record<Case, Subject> = {
      'dedicated push': await subject('push-box', 'dedicated', 'push'),
      'dedicated poll': await subject('poll-box', 'dedicated', 'poll'),
      'shared push': await subject('shared-box', 'shared', 'push'),
    };
    const live = await each(subjects, async ({ url }) => ({
      stream: await download(url, installation.ca),
      tunnel: await openWebSocket(url, installation.ca),
    }));
    const stoppedAt = performance.now();
    const since = (at: number): number => at - stoppedAt;
    await installation.stopGateway();
    const refusals = await each(subjects, ({ url }) => askUntilRefused(url));
    const ends = await each(live, async ({ stream, tunnel }) => ({ stream: await stream.ended, tunnel: await tunnel.ended }));
    await installation.startGateway();
    const returnedAt = performance.now();
    const resumed = await each(subjects, ({ url }) => askUntilServed(url));
    return await each(subjects, async (_subject, name) => ({
      servedUntilMs: since(refusals[name].servedAt),
      refusedFromMs: since(refusals[name].refusedAt),
      refusal: refusals[name].code ?? '',
      status: refusals[name].status,
      streamEndedMs: since(ends[name].stream.at),
      streamEndedClean: ends[name].stream.clean,
      tunnelEndedMs: since(ends[name].tunnel.at),
      resumedMs: resumed[name] - returnedAt,
    }));
  } finally {
    await installation.close();
    await app.close();
  }

  async function subject(sandbox: string, mode: 'dedicated' | 'shared', delivery: 'push' | 'poll'): Promise<Subject> {
    const operator = installation.operator();
    const shared = mode === 'shared';
    const registered = await operator.register({ workspace: 'team', sandbox }, mode, shared ? installation.sharedPool : '');
    const supervisor = await installation.supervise(registered.poolId as PoolId, delivery);
    const ref = parseServiceRef(`team/${sandbox}/web`);
    if (!ref.ok) throw new Error(ref.error);
    const { host } = await operator.expose({ ref: ref.value, port: app.port, policy: DEFAULT_POLICY });
    const url = new URL(`https://${host}:${supervisor.appPort}/`);
    await askUntilServed(url);
    return { supervisor, url };
  }

  async function askUntilRefused(url: URL) {
    const from = performance.now();
    for (let servedAt = from; ; ) {
      const askedAt = performance.now();
      // One that the deadline meets half-way is cut: neither served nor refused.
      const answer = await get(url, installation.ca).catch(() => undefined);
      if (answer !== undefined && answer.status !== 200)
        return { servedAt, refusedAt: performance.now(), status: answer.status, code: answer.code };
      if (answer !== undefined) servedAt = askedAt;
      if (askedAt - from > OUTAGE_MAX_MS)
        throw new Error(`${url.host} still serves ${OUTAGE_MAX_MS} ms after its gateway stopped`);
      await pause(ASK_EVERY_MS);
    }
  }

  /** When the first request was answered by the application. */
  async function askUntilServed(url: URL): Promise<number> {
    const until = performance.now() + RETURN_MAX_MS;
    for (;;) {
      const answer = await get(url, installation.ca).catch(() => undefined);
      if (answer?.status === 200) return performance.now();
      if (performance.now() > until) throw new Error(`${url.host} does not serve: ${answer?.status} ${answer?.code}`);
      await pause(ASK_EVERY_MS);
    }
  }
}

/** Every case at the same time. */
async function each<K extends string, T, U>(
  of: Readonly<Record<K, T>>,
  act: (value: T, name: K) => Promise<U>,
): Promise<Record<K, U>> {
  const names = Object.keys(of) as K[];
  const results = await Promise.all(names.map((name) => act(of[name], name)));
  return Object.fromEntries(names.map((name, index) => [name, results[index]])) as Record<K, U>;
}

/** Between two requests of a client. */
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
