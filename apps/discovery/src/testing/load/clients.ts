import { Metadata } from '@grpc/grpc-js';
import { discoveryV1, openLink, openTlsFiles } from '@sallyport/wire';

/**
 * Many watchers in one process, which read bytes and decode nothing: what is measured is the server. A snapshot is over when
 * the first small message has come, the heartbeat behind it; a change has come when a message holds its name. Only for the
 * moment in which a grant is narrowed do they decode.
 */
interface Order {
  readonly target: string;
  readonly caFile: string;
  readonly tokens: readonly string[];
  readonly count: number;
  /** They ask, and take nothing. */
  readonly areStalled: boolean;
  /** How many begin at once, in each second. */
  readonly perSecond: number;
}
type Asked =
  | { readonly order: Order }
  | { readonly expect: string }
  | { readonly expectRevoked: true }
  | { readonly report: true };
export type Told =
  /** All have had theirs. `dialMs`: until the connection stood; `ms`: from the start of the stream that brought it. */
  | { readonly kind: 'snapshots'; readonly dialMs: readonly number[]; readonly ms: readonly number[]; readonly refusals: number }
  | { readonly kind: 'seen'; readonly marker: string; readonly at: readonly number[] }
  | { readonly kind: 'revoked'; readonly at: readonly number[] }
  | { readonly kind: 'ended'; readonly details: readonly string[] };

const SMALL_BYTES = 1_000;
const PATH = '/sallyport.discovery.v1.DiscoveryService/Watch';
/** One field, a message that is empty: `WatchRequest{start: {}}`. */
const START = Buffer.from([0x0a, 0x00]);
const UNAVAILABLE = 14;
const AGAIN_MS = 1_000;
const CONNECT_MS = 60_000;
const wallMs = (): number => performance.timeOrigin + performance.now();
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const seen = new Map<string, number[]>();
const ended: string[] = [];
const revokedAt: number[] = [];
let waited: string[] = [];
let looksForRevoked = false;

process.on('message', (message: Asked) => {
  if ('order' in message) void begin(message.order);
  else if ('expect' in message) waited = [...waited, message.expect];
  else if ('expectRevoked' in message) looksForRevoked = true;
  else {
    for (const [marker, at] of seen) tell({ kind: 'seen', marker, at });
    tell({ kind: 'revoked', at: revokedAt });
    tell({ kind: 'ended', details: ended });
  }
});
const tell = (told: Told): boolean => process.send?.(told) === true;

async function begin({ target, caFile, tokens, count, areStalled, perSecond }: Order): Promise<void> {
  const tls = await openTlsFiles({ caFile });
  if (!tls.ok) throw new Error(tls.error);
  const { value: trust } = tls;
  const [ms, dialMs]: [number[], number[]] = [[], []];
  let refusals = 0;

  async function one(index: number): Promise<void> {
    // Real ingresses do not share a connection.
    const { client } = openLink({ target, tls: trust, showsCertificate: false, server: { kind: 'host-name' } });
    const dialledAt = wallMs();
    await new Promise<void>((resolve) => client.waitForReady(Date.now() + CONNECT_MS, () => resolve()));
    dialMs.push(wallMs() - dialledAt);
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${tokens[index % tokens.length] ?? ''}`);
    follow();

    function follow(): void {
      const same = (bytes: Buffer): Buffer => bytes;
      const stream = client.makeBidiStreamRequest<Buffer, Buffer>(PATH, same, same, metadata, {});
      const startedAt = wallMs();
      let isWhole = false;
      const had = new Set<string>();
      stream.on('error', () => undefined);
      stream.on('status', ({ code, details }) => {
        const isRefused = code === UNAVAILABLE && !isWhole && !areStalled;
        if (isRefused) refusals += 1;
        else if (!areStalled) ended.push(details);
        if (isRefused || areStalled) setTimeout(follow, AGAIN_MS * (0.5 + Math.random()));
      });
      stream.write(START);
      if (areStalled) return void stream.pause();
      stream.on('data', (bytes: Buffer) => {
        if (!isWhole && bytes.length < SMALL_BYTES) {
          isWhole = true;
          ms.push(wallMs() - startedAt);
          if (ms.length === count) tell({ kind: 'snapshots', ms, dialMs, refusals });
        }
        if (looksForRevoked && isRevocation(bytes)) revokedAt.push(wallMs());
        for (const marker of waited) {
          // Once for each reader: what is renewed late is told again.
          if (!isWhole || had.has(marker) || !bytes.includes(marker)) continue;
          had.add(marker);
          seen.set(marker, [...(seen.get(marker) ?? []), wallMs()]);
        }
      });
    }
  }

  for (let index = 0; index < count; index += 1) {
    void one(index);
    if (index % perSecond === perSecond - 1) await pause(1_000);
  }
}

function isRevocation(bytes: Buffer): boolean {
  const { response } = discoveryV1.WatchResponse.decode(bytes);
  const reason = discoveryV1.TombstoneReason.TOMBSTONE_REASON_GRANT_REVOKED;
  return response?.$case === 'delta' && response.value.tombstones.some((each) => each.reason === reason);
}
