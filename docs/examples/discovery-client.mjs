// A client of discovery: node discovery-client.mjs HOST:PORT CA_FILE TOKEN_FILE
// Prints "+ host address:port" when a host may be dialled there, "- host" when it may not be any more.
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
// biome-ignore lint/correctness/noUndeclaredDependencies: whoever copies this installs it
import grpc from '@grpc/grpc-js';
// biome-ignore lint/correctness/noUndeclaredDependencies: whoever copies this installs it
import { loadSync } from '@grpc/proto-loader';

const [address, caFile, tokenFile] = process.argv.slice(2);
const proto = new URL('../../proto/sallyport/discovery/v1/discovery.proto', import.meta.url).pathname;
const { v1 } = grpc.loadPackageDefinition(loadSync(proto, { enums: String, defaults: true, oneofs: true })).sallyport.discovery;
const client = new v1.DiscoveryService(address, grpc.credentials.createSsl(readFileSync(caFile)));
const now = () => uptime() * 1_000; // goes on while the machine sleeps
let [held, shown, token, pauseMs] = [new Map(), new Map(), '', 500]; // what ran out stays held: a Renew may bring it back

function open() {
  const metadata = new grpc.Metadata();
  metadata.set('authorization', `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`);
  const stream = client.watch(metadata);
  const sentAt = [now()]; // of each Ping; the start counts as Ping 0. All lives count from here
  let [heardAt, parts] = [now(), {}];
  stream.write({ start: { resumeToken: token } });
  const pinging = setInterval(() => stream.write({ ping: { id: sentAt.push(now()) - 1 } }), 5_000);
  const looking = setInterval(() => (now() > heardAt + 15_000 ? stream.cancel() : show()), 250);
  stream.on('data', ({ response: kind, pingId, ...message }) => {
    [heardAt, pauseMs] = [now(), 500];
    const part = { ...message[kind], from: sentAt[Number(pingId)] };
    const revoked = (part.tombstones ?? []).filter(({ reason }) => reason.endsWith('GRANT_REVOKED'));
    for (const { recordId } of revoked) held.delete(recordId); // at once, whatever follows
    if (part.forget) held = new Map();
    if (kind === 'resync') parts = {};
    if (kind !== 'renew') parts.renew = []; // parts without the last mean nothing
    const isLost = part.toToken && token && part.fromToken !== token;
    if (isLost || kind === 'resync' || revoked.length > 0) token = ''; // void until the next one
    if (isLost) return stream.cancel();
    parts[kind] ??= [];
    parts[kind].push(part);
    if (part.token || part.toToken || part.isLast) take(kind, parts[kind].splice(0));
    token = part.token || part.toToken || token;
    show();
  });
  stream.on('error', ({ details }) => console.error(`stream: ${details}`));
  stream.on('status', ({ code }) => {
    if (code === grpc.status.PERMISSION_DENIED) [held, token] = [new Map(), ''];
    for (const timer of [pinging, looking]) clearInterval(timer);
    setTimeout(open, pauseMs * (0.5 + Math.random())); // what is held may be used meanwhile, until it runs out
    pauseMs = Math.min(2 * pauseMs, 30_000);
  });
}

/** One whole message, in its parts. */
function take(kind, parts) {
  if (kind === 'snapshot') held = new Map();
  const own = new Map(parts.flatMap(({ from, recordIds = [], ttlMs }) => recordIds.map((id, at) => [id, from + ttlMs[at]])));
  const floors = new Map(parts.flatMap(({ from, floors = [] }) => floors.map((each) => [each.renewedBy, from + each.ttlMs])));
  for (const { from, records, upserts, tombstones = [], removed = [] } of parts) {
    for (const { recordId } of tombstones) held.delete(recordId);
    for (const record of records ?? upserts ?? []) held.set(record.recordId, { ...record, until: from + record.ttlMs });
    for (const recordId of removed) held.delete(recordId);
  }
  for (const record of held.values()) // never shorter
    record.until = Math.max(record.until, own.get(record.recordId) ?? floors.get(record.renewedBy) ?? 0);
}

function show() {
  const usable = [...held.values()].filter(({ until }) => until > now());
  const found = new Map(usable.map(({ host, endpoint }) => [host, `${endpoint.address}:${endpoint.port}`]));
  for (const [host, at] of found) if (shown.get(host) !== at) console.log(`+ ${host} ${at}`);
  for (const host of shown.keys()) if (!found.has(host)) console.log(`- ${host}`);
  shown = found;
}

open();
