import { createFollower, type Follower, PING_EVERY_MS } from '@sallyport/catalog';
import type { Instant } from '@sallyport/model';
import { discoveryV1, openLink, openStream, type PublishedRecord, readWatchResponse, type TlsSource } from '@sallyport/wire';
import { sleep } from '../authority/rig/until.ts';
import type { Sample, Seen } from './judge.ts';

export interface ReaderOptions {
  readonly name: string;
  readonly principal: string;
  readonly bearer: string;
  readonly tls: TlsSource;
  /** Which replica it follows first. */
  readonly target: string;
  /** Where everything goes that it might use, at each moment at which it looks. */
  readonly samples: Sample[];
}

/** Follows one replica as an ingress does, and comes back to it whenever a stream ends. */
export interface Reader {
  readonly name: string;
  /** What may be used now. */
  records(): readonly Seen[];
  has(host: string): boolean;
  /** Ends the stream and opens one at this replica; resolves with the kind of the first message there. */
  moveTo(target: string): Promise<string>;
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 50;
const AGAIN_MS = 200;
export const now = (): Instant => performance.now() as Instant;

export function startReader({ name, principal, bearer, tls, target: first, samples }: ReaderOptions): Reader {
  const follower: Follower<PublishedRecord> = createFollower();
  let target = first;
  let isStopped = false;
  let darkSince: number | undefined = now();
  let endStream = (): void => undefined;
  let onFirst: ((kind: string) => void) | undefined;

  const records = (): Seen[] => [...follower.records(now())].map(seen);
  function look(): void {
    follower.passed(now());
    const at = now();
    samples.push({ by: name, principal, askedAt: at, at, records: records(), ofHost: undefined, darkSince });
  }

  async function follow(): Promise<void> {
    const link = openLink({ target, tls, showsCertificate: false, server: { kind: 'host-name' } });
    const stream = openStream(link, discoveryV1.DiscoveryServiceService.watch, { bearer });
    const end = (): void => stream.fail({ kind: 'not-ready', message: 'enough' });
    endStream = end;
    const { resumeToken, workspaces } = follower.opened(now());
    stream.send({ request: { $case: 'start', value: { resumeToken, workspaces: [...workspaces] } } });
    const pinging = setInterval(
      () => stream.send({ request: { $case: 'ping', value: { id: follower.ping(now()) } } }),
      PING_EVERY_MS,
    );
    const told = onFirst;
    onFirst = undefined;
    let isFirst = true;
    for await (const response of stream.received) {
      const sent = readWatchResponse(response);
      if (!sent.ok) throw new Error(`${name}: ${sent.error.message}`);
      const { message } = sent.value;
      if (isFirst) told?.(message.kind);
      isFirst = false;
      const effects = follower.received(sent.value, now());
      if (effects.some(({ kind }) => kind === 'restart')) end();
      // What closes a message brings it to one moment of the replica.
      else if (message.kind === 'heartbeat' || (message.kind === 'delta' && message.to !== undefined)) darkSince = undefined;
      look();
    }
    const failure = await stream.closed;
    if (isFirst) told?.(failure?.message ?? 'ended');
    clearInterval(pinging);
    link.close();
    darkSince ??= now();
    follower.closed(failure?.kind, now());
    look();
  }

  const looking = setInterval(look, LOOK_EVERY_MS);
  const running = (async () => {
    while (!isStopped) {
      await follow();
      if (!isStopped && onFirst === undefined) await sleep(AGAIN_MS);
    }
  })();

  return {
    name,
    records,
    has: (host) => follower.byHost(host, now()) !== undefined,
    moveTo(next) {
      target = next;
      const arrived = Promise.withResolvers<string>();
      onFirst = arrived.resolve;
      endStream();
      return arrived.promise;
    },
    async stop() {
      isStopped = true;
      clearInterval(looking);
      endStream();
      await running;
    },
  };
}

export const seen = ({ host, workspace, endpoint, ownerEpoch }: PublishedRecord): Seen => ({
  ...{ host, workspace, epoch: ownerEpoch },
  endpoint: `${endpoint.address}:${endpoint.port}`,
});
