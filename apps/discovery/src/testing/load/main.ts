import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createClock, createLog, createMetrics } from '@sallyport/process';
import { createMemoryStore } from '@sallyport/store';
import { createSigningKey, openSigningKeys, type Role, signOperatorToken } from '@sallyport/wire';
import { createTestAuthority } from '@sallyport/wire/testing';
import { wire } from '../../wire.ts';
import { createPublisher, plain } from '../publication.ts';
import type { Told } from './clients.ts';

/**
 * How a discovery replica does under load: prints figures, judges nothing. The server is this process, the readers are
 * another, over TLS on loopback. `npx nx run discovery:load -- --records 10000 --watchers 500`
 */
const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '10000' },
    watchers: { type: 'string', default: '500' },
    stalled: { type: 'string', default: '20' },
    'per-second': { type: 'string', default: '10' },
    changes: { type: 'string', default: '50' },
    /** Readers that begin in one moment, beside all others. */
    storm: { type: 'string', default: '0' },
  },
});
const of = (name: keyof typeof values): number => Number(values[name]);
const [records, watchers, stalled, changes, storm] = [of('records'), of('watchers'), of('stalled'), of('changes'), of('storm')];
const RENEW_EVERY_MS = 5_000;
const BUCKET = 1_000;
const TOKENS = 25;
/** They hold what they may for 10 s and are ended then; all of them are to be there at once. */
const STALLED_PER_SECOND = 100;
const wallMs = (): number => performance.timeOrigin + performance.now();
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** Collected first: what is left is what is held. */
const megabytes = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().rss / 1_048_576;
};
const each = (grown: number, count: number): string => `${grown.toFixed(0)} MB, ${((grown * 1_024) / count).toFixed(0)} KB each`;
const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
function say(what: string, samples: readonly number[]): void {
  const sorted = [...samples].sort((a, b) => a - b);
  const [p50, p99, max] = [0.5, 0.99, 1].map((q) => quantile(sorted, q).toFixed(0));
  console.log(`${what.padEnd(44)} p50 ${p50} ms   p99 ${p99} ms   max ${max} ms   (${samples.length})`);
}
const fact = (what: string, value: string): void => console.log(`${what.padEnd(44)} ${value}`);

const authority = await createTestAuthority();
const directory = mkdtempSync(join(tmpdir(), 'sallyport-load-'));
writeFileSync(join(directory, '1.jwk'), (await createSigningKey()).privateJwk);
const keys = await openSigningKeys(directory);
if (!keys.ok) throw new Error(keys.error);
const clock = createClock();
const metrics = createMetrics();
const open = async (): Promise<string> => /^sallyport_discovery_streams_open (\d+)/m.exec(await metrics.text())?.[1] ?? '';
const memory = createMemoryStore({ clock });
const publisher = createPublisher(memory.connect());
const discovery = await wire(
  plain({
    listen: { host: '127.0.0.1', port: 0 },
    urlPort: 443,
    signingKeys: directory,
    trustDomain: 'acme.test',
    tls: await authority.issue('discovery', {
      uris: ['spiffe://acme.test/discovery/d1'],
      dnsNames: ['localhost'],
      ipAddresses: ['127.0.0.1'],
    }),
    listenTls: {},
    jwt: {},
    limits: { streamsMax: 1_000, opensPerSecondMax: 1_000, backlogBytesMax: 4_194_304 },
  }),
  {
    clock,
    log: createLog({ level: 'silent' }),
    metrics,
    randomId: () => 'd1',
    stopping: new AbortController().signal,
    admin: { host: '127.0.0.1', port: 0 },
  },
  { store: memory.connect() },
);

await pause(1_500);
const empty = megabytes();
await publisher.generation();
const names: string[] = [];
const publishedAt = performance.now();
for (let index = 0; index < records; index += 1) {
  const name = `s${index}`;
  await publisher.publish(`w${index % 100}`, name, memory.revision());
  names.push(name);
  if (index % 1_000 === 999) await renew();
}
/** As when every edge of an installation is started again, while others go on following. */
async function meetStorm(): Promise<void> {
  const late = startClients();
  const startedAt = performance.now();
  late.send({ order: { ...order, count: storm, areStalled: false, perSecond: storm } });
  let isOver = false;
  const served = late.heard('snapshots').then((outcome) => {
    isOver = true;
    return outcome;
  });
  for (let index = 0; !isOver; index += 1) await change(`storm-${index}`);
  const { ms, dialMs, refusals } = await served;
  say(`snapshot of all records, ${storm} more at once`, ms);
  say('before that, for the connection', dialMs);
  fact('sent away meanwhile', `${refusals} times`);
  fact('all had theirs', `${((performance.now() - startedAt) / 1_000).toFixed(1)} s after the first began, their process in it`);
  fact(`memory with ${await open()} readers open`, `${(megabytes() - full).toFixed(0)} MB above the records`);
  late.end();
}
async function renewBucket(bucket: number): Promise<void> {
  const from = bucket * BUCKET;
  await publisher.renew(names.slice(from, from + BUCKET), memory.revision(), 15_000, bucket);
}
async function renew(): Promise<void> {
  for (let bucket = 0; bucket * BUCKET < names.length; bucket += 1) await renewBucket(bucket);
}
await renew();
/** Spread over the beat, as a gateway does; a turn that came late is made up, as a gateway of its own would not miss it. */
const bucketCount = Math.ceil((records + changes) / BUCKET);
const beganAt = performance.now();
let turns = 0;
const beat = setInterval(() => {
  const due = ((performance.now() - beganAt) * bucketCount) / RENEW_EVERY_MS;
  for (; turns < due; turns += 1) void renewBucket(turns % bucketCount);
}, RENEW_EVERY_MS / bucketCount);
await pause(2_000);
fact('records', String(records));
fact('taken into the view', `${((performance.now() - publishedAt - 2_000) / 1_000).toFixed(1)} s, with the writing of them`);
const full = megabytes();
fact('memory for the records', `${(full - empty).toFixed(0)} MB, the store in it`);

let lagMs = 0;
let lookedAt = performance.now();
const lag = setInterval(() => {
  lagMs = Math.max(lagMs, performance.now() - lookedAt - 20);
  lookedAt = performance.now();
}, 20);

function startClients() {
  const child = fork(fileURLToPath(new URL('clients.ts', import.meta.url)), { execArgv: process.execArgv });
  const told: Told[] = [];
  let news = (): void => undefined;
  child.on('message', (message: Told) => {
    told.push(message);
    news();
  });
  async function heard<K extends Told['kind']>(kind: K): Promise<Extract<Told, { kind: K }>> {
    for (;;) {
      const found = told.find((each) => each.kind === kind);
      if (found !== undefined) return found as Extract<Told, { kind: K }>;
      await new Promise<void>((resolve) => {
        news = resolve;
      });
    }
  }
  return { child, told, heard, send: (asked: object) => child.send(asked), end: () => child.kill('SIGKILL') };
}
const clients = startClients();
const WORKSPACES = Array.from({ length: 100 }, (_none, index) => `w${index}`);
const principals = Array.from({ length: TOKENS }, (_none, index) => `edge-${index}`);
for (const principal of principals) await publisher.grant(principal, WORKSPACES);
const tokens = await Promise.all(
  principals.map((principal) =>
    signOperatorToken(keys.value, { principal, role: { kind: 'reader', workspaces: 'all' } as Role }, 3_600_000),
  ),
);
const perSecond = Number(values['per-second']);
const order = { target: `127.0.0.1:${discovery.address.port}`, caFile: authority.caFile, tokens, perSecond };

// Those that will never take anything come first: what follows is measured beside them.
if (stalled > 0) {
  clients.send({ order: { ...order, count: stalled, areStalled: true, perSecond: STALLED_PER_SECOND } });
  await pause((stalled / STALLED_PER_SECOND) * 1_000 + 3_000);
  fact(`memory with ${await open()} stalled readers open`, each(megabytes() - full, stalled));
}
const cpuBefore = process.cpuUsage();
const begunAt = performance.now();
clients.send({ order: { ...order, count: watchers, areStalled: false } });
const { ms, dialMs, refusals } = await clients.heard('snapshots');
say(`snapshot of all records, ${perSecond} readers at once a second`, ms);
say('before that, for the connection', dialMs);
fact('sent away while others had theirs', `${refusals} times`);
fact('all had theirs', `${((performance.now() - begunAt) / 1_000).toFixed(1)} s after the first began`);
const { user, system } = process.cpuUsage(cpuBefore);
fact('processor time for each of these', `${((user + system) / 1_000 / watchers).toFixed(0)} ms, all else in it`);
await pause(RENEW_EVERY_MS);
fact(`memory with ${await open()} readers open, the stalled in it`, each(megabytes() - full, watchers + stalled));
fact('longest turn of the event loop', `${lagMs.toFixed(0)} ms`);

const sentAt = new Map<string, number>();
async function change(name: string): Promise<void> {
  const marker = `change-${name}-x`;
  clients.send({ expect: marker });
  await pause(50);
  sentAt.set(marker, wallMs());
  await publisher.publish('w1', marker, memory.revision());
  names.push(marker);
  await pause(80);
}
for (let index = 0; index < changes; index += 1) await change(String(index));
await pause(3_000);
if (storm > 0) await meetStorm();
clients.send({ expectRevoked: true });
await pause(100);
const narrowedAt = wallMs();
await publisher.grant(principals[0] ?? '', WORKSPACES.slice(1));
await pause(9_000);
clients.send({ report: true });
const { details } = await clients.heard('ended');
const allSeen = clients.told.filter((each) => each.kind === 'seen');
const isOfStorm = ({ marker }: { readonly marker: string }): boolean => marker.startsWith('change-storm');
const seen = allSeen.filter((each) => !isOfStorm(each));
say(
  'from a change to a reader',
  seen.flatMap(({ marker, at }) => at.map((each) => each - (sentAt.get(marker) ?? 0))),
);
say(
  'from a change to the last of the readers',
  seen.map(({ marker, at }) => Math.max(...at) - (sentAt.get(marker) ?? 0)),
);
if (storm > 0)
  say(
    `the same while ${storm} more begin at once`,
    allSeen.filter(isOfStorm).map(({ marker, at }) => Math.max(...at) - (sentAt.get(marker) ?? 0)),
  );
fact('changes that reached every reader', `${seen.filter(({ at }) => at.length >= watchers).length} of ${changes}`);
say(
  'from a narrowed grant to its readers',
  (await clients.heard('revoked')).at.map((at) => at - narrowedAt),
);
fact('readers whose stream was ended', `${details.length}${details[0] === undefined ? '' : ` (${details[0]})`}`);
fact('memory afterwards', `${(megabytes() - full).toFixed(0)} MB above the records, ${await open()} streams open`);

clearInterval(beat);
clearInterval(lag);
clients.end();
await discovery.drain(AbortSignal.abort());
keys.value.close();
clock.stop();
authority.remove();
rmSync(directory, { recursive: true });
// A connection whose end came in the same moment may keep a socket open.
process.exit(0);
