// A client of discovery in one file: node discovery-client.mjs HOST:PORT CA_FILE TOKEN_FILE
// Prints "+ host address:port" when a host may be dialled there, "- host" when it may not be any more.
// It begins each stream with a snapshot; what resuming adds is in docs/discovery.md.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
// biome-ignore lint/correctness/noUndeclaredDependencies: whoever copies this installs it
import grpc from '@grpc/grpc-js';
// biome-ignore lint/correctness/noUndeclaredDependencies: whoever copies this installs it
import { loadSync } from '@grpc/proto-loader';

const [address, caFile, tokenFile] = process.argv.slice(2);
const proto = fileURLToPath(new URL('../../proto/sallyport/discovery/v1/discovery.proto', import.meta.url));
const { v1 } = grpc.loadPackageDefinition(loadSync(proto, { enums: String, defaults: true })).sallyport.discovery;
const client = new v1.DiscoveryService(address, grpc.credentials.createSsl(readFileSync(caFile)));
const now = () => performance.now();
let held = new Map(); // record_id → { record, until }; one that ran out stays, for a Renew may bring it back
let shown = new Map();

function open() {
  const metadata = new grpc.Metadata();
  metadata.set('authorization', `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`);
  const stream = client.watch(metadata);
  const sentAt = [now()]; // when each Ping was sent; 0 stands for the start
  let heardAt = now();
  let next = new Map(); // a snapshot in the making
  let [deltas, renews] = [[], []];
  const timers = [
    setInterval(() => stream.write({ ping: { id: sentAt.push(now()) - 1 } }), 5_000),
    setInterval(() => (now() > heardAt + 15_000 ? stream.cancel() : show()), 250),
  ];
  stream.on('data', ({ pingId, snapshot, delta, renew, resync }) => {
    heardAt = now();
    const until = (ttlMs) => sentAt[Number(pingId)] + ttlMs;
    const read = (record) => [record.recordId, { record, until: until(record.ttlMs) }];
    if (!renew) renews = [];
    if (resync) [next, deltas] = [new Map(), []];
    if (resync?.forget) held = new Map();
    for (const record of snapshot?.records ?? []) next.set(...read(record));
    for (const recordId of snapshot?.removed ?? []) next.delete(recordId);
    if (snapshot?.token) [held, next] = [next, new Map()];
    for (const { recordId, reason } of delta?.tombstones ?? []) if (reason.endsWith('GRANT_REVOKED')) held.delete(recordId);
    if (delta) deltas.push({ gone: delta.tombstones, put: delta.upserts.map(read) });
    if (delta?.toToken)
      for (const { gone, put } of deltas.splice(0)) {
        for (const { recordId } of gone) held.delete(recordId);
        for (const entry of put) held.set(...entry);
      }
    if (renew) renews.push({ ...renew, until });
    if (renew?.isLast) extend(renews.splice(0));
    show();
  });
  stream.on('error', ({ code, details }) => {
    console.error(`stream: ${details}`);
    if (code === grpc.status.PERMISSION_DENIED) held = new Map();
  });
  stream.on('close', () => {
    timers.forEach(clearInterval);
    setTimeout(open, 1_000);
  });
  stream.write({ start: {} });
}

function extend(renews) {
  const [floors, own] = [new Map(), new Map()];
  for (const { floors: each, recordIds, ttlMs, until } of renews) {
    for (const floor of each) floors.set(floor.renewedBy, until(floor.ttlMs));
    for (const [index, recordId] of recordIds.entries()) own.set(recordId, until(ttlMs[index]));
  }
  for (const [recordId, entry] of held)
    entry.until = Math.max(entry.until, own.get(recordId) ?? floors.get(entry.record.renewedBy) ?? 0);
}

function show() {
  const usable = [...held.values()].filter(({ until }) => until > now());
  const found = new Map(usable.map(({ record: { host, endpoint } }) => [host, `${endpoint.address}:${endpoint.port}`]));
  for (const [host, at] of found) if (shown.get(host) !== at) console.log(`+ ${host} ${at}`);
  for (const host of shown.keys()) if (!found.has(host)) console.log(`- ${host}`);
  shown = found;
}

open();
