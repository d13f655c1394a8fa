import { setImmediate as turn } from 'node:timers/promises';
import { normaliseHost } from '@sallyport/model';
import { HELLO_BYTES_MAX } from '@sallyport/tls-hello';
import { createRandom, meaningOf, mutatedHello } from '@sallyport/tls-hello/testing';
import { recordOf } from '../records.ts';
import { type Client, startStage, startUpstream, type Upstream } from '../stage.ts';
import { FAULTS_MAX, SERVED, type Tally } from './routing.ts';

const AT_ONCE = 32;
const PROXY_HEADER_BYTES = 28;
const SOURCE_PORT_AT = 24;
const SETTLED_WITHIN_MS = 10_000;

/** The same hellos through a real door to real listeners: each must come to its own, whole and unchanged, or to none. */
export async function fuzzThrough(from: number, to: number): Promise<Tally> {
  const tally: Tally = { outcomes: new Map(), faults: [] };
  /** What came to which host, by the client's port, which a PROXY header tells. */
  const arrived = new Map<number, { readonly host: string; readonly bytes: Buffer }>();
  // Each client is one of many at the same address here, and none is to wait for another.
  const stage = await startStage({ sendsProxy: true, limits: { pendingMax: 1_000 } });
  const upstreams: Upstream[] = [];
  for (const host of SERVED) upstreams.push(await startUpstream((client) => collect(host, client)));

  function collect(host: string, client: Client): void {
    client.socket.on('end', () => {
      const bytes = client.bytes();
      arrived.set(bytes.readUInt16BE(SOURCE_PORT_AT), { host, bytes: bytes.subarray(PROXY_HEADER_BYTES) });
      client.socket.end();
    });
  }

  const records = SERVED.map((host, index) => ({
    record: recordOf(host, (upstreams[index] as Upstream).port),
    ttlMs: Number.MAX_SAFE_INTEGER,
  }));
  stage.say({ kind: 'snapshot', pages: [records], removed: [], token: 't' });

  async function one(seed: number): Promise<void> {
    const random = createRandom(seed);
    const bytes = Buffer.from(mutatedHello(random));
    const client = stage.connect();
    await settled(() => client.socket.localPort !== undefined);
    const port = client.socket.localPort ?? 0;
    const cut = random.below(bytes.length + 1);
    client.socket.write(bytes.subarray(0, cut));
    await turn();
    client.socket.end(bytes.subarray(cut));
    await settled(() => client.isClosed() || client.hasEnded());
    const means = meaningOf(bytes, HELLO_BYTES_MAX);
    const name = means.startsWith('!') || means === 'more' ? undefined : normaliseHost(means);
    const wanted = SERVED.find((host) => host === name);
    if (wanted !== undefined) await settled(() => arrived.has(port));
    const came = arrived.get(port);
    arrived.delete(port);
    const isRight = came?.host === wanted && (came === undefined || came.bytes.equals(bytes));
    const outcome = !isRight ? 'wrong' : came === undefined ? 'refused' : 'passed on whole';
    tally.outcomes.set(outcome, (tally.outcomes.get(outcome) ?? 0) + 1);
    if (!isRight && tally.faults.length < FAULTS_MAX)
      tally.faults.push(`seed ${seed} through sockets: came to ${came?.host ?? 'none'}, means ${means}`);
    client.socket.destroy();
  }

  for (let seed = from; seed < to; seed += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, to - seed) }, (_, index) => one(seed + index)));
  await stage.close();
  for (const upstream of upstreams) await upstream.close();
  return tally;
}

/** As the loop goes, and not for ever: one that hangs is a fault, and is told by its outcome. */
async function settled(isSo: () => boolean): Promise<void> {
  const until = performance.now() + SETTLED_WITHIN_MS;
  while (!isSo() && performance.now() < until) await turn();
}
