import { Metadata } from '@grpc/grpc-js';
import { openLink, openTlsFiles } from '@sallyport/wire';

/**
 * Many watchers in one process, which read bytes and decode nothing: what is measured is the server. A snapshot is over when
 * the first small message has come, the heartbeat behind it; a change has come when a message holds its name.
 */
interface Order {
  readonly target: string;
  readonly caFile: string;
  readonly tokens: readonly string[];
  readonly watchers: number;
  readonly stalled: number;
  /** Watchers that begin in each second. */
  readonly perSecond: number;
}
export type Told =
  | { readonly kind: 'snapshots'; readonly ms: readonly number[] }
  | { readonly kind: 'seen'; readonly marker: string; readonly at: readonly number[] }
  | { readonly kind: 'ended'; readonly details: readonly string[] };

const SMALL_BYTES = 1_000;
const PATH = '/sallyport.discovery.v1.DiscoveryService/Watch';
/** One field, a message that is empty: `WatchRequest{start: {}}`. */
const START = Buffer.from([0x0a, 0x00]);
const wallMs = (): number => performance.timeOrigin + performance.now();

const seen = new Map<string, number[]>();
const ended: string[] = [];
let waited: string[] = [];

process.on('message', (message: { readonly order?: Order; readonly expect?: string; readonly report?: true }) => {
  if (message.order !== undefined) void begin(message.order);
  if (message.expect !== undefined) waited = [...waited, message.expect];
  if (message.report === true) {
    for (const [marker, at] of seen) tell({ kind: 'seen', marker, at });
    tell({ kind: 'ended', details: ended });
  }
});
const tell = (told: Told): boolean => process.send?.(told) === true;

async function begin({ target, caFile, tokens, watchers, stalled, perSecond }: Order): Promise<void> {
  const tls = await openTlsFiles({ caFile });
  if (!tls.ok) throw new Error(tls.error);
  const snapshots: number[] = [];
  for (let index = 0; index < watchers + stalled; index += 1) {
    // Real ingresses do not share a connection.
    const link = openLink({ target, tls: tls.value, showsCertificate: false, server: { kind: 'host-name' } });
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${tokens[index % tokens.length] ?? ''}`);
    const stream = link.client.makeBidiStreamRequest<Buffer, Buffer>(
      PATH,
      (bytes) => bytes,
      (bytes) => bytes,
      metadata,
      {},
    );
    stream.on('error', () => undefined);
    stream.on('status', ({ details }) => ended.push(details));
    const startedAt = wallMs();
    stream.write(START);
    if (index >= watchers) stream.pause();
    else {
      let isWhole = false;
      const had = new Set<string>();
      stream.on('data', (bytes: Buffer) => {
        if (!isWhole && bytes.length < SMALL_BYTES) {
          isWhole = true;
          snapshots.push(wallMs() - startedAt);
          if (snapshots.length === watchers) tell({ kind: 'snapshots', ms: snapshots });
        }
        for (const marker of waited) {
          // Once for each reader: what is renewed late is told again.
          if (!isWhole || had.has(marker) || !bytes.includes(marker)) continue;
          had.add(marker);
          seen.set(marker, [...(seen.get(marker) ?? []), wallMs()]);
        }
      });
    }
    if (index % perSecond === perSecond - 1) await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}
