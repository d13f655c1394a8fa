// A client of discovery: node discovery-client.mjs HOST:PORT CA_FILE TOKEN_FILE PROTO_FILE
// Whenever it changes, prints what may be dialled now: a line "host address:port" for each record, then an empty one.
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
// biome-ignore lint/correctness/noUndeclaredDependencies: whoever copies this installs it
import grpc from '@grpc/grpc-js';
// biome-ignore lint/correctness/noUndeclaredDependencies: whoever copies this installs it
import { loadSync } from '@grpc/proto-loader';

const [target, ca, secret, proto] = process.argv.slice(2);
const { v1 } = grpc.loadPackageDefinition(loadSync(proto, { enums: String, defaults: true, oneofs: true })).sallyport.discovery;
const client = new v1.DiscoveryService(target, grpc.credentials.createSsl(readFileSync(ca)));
let [held, token, shown] = [new Map(), '', '']; // what ran out stays held: a Renew may bring it back

function follow() {
  const stream = client.watch(grpc.Metadata.fromHttp2Headers({ authorization: `Bearer ${readFileSync(secret, 'utf8').trim()}` }));
  // Seconds that go on while the machine sleeps. Lives count from the Ping that a message names; the start is Ping 0.
  let [sentAt, heardAt, going, draft, lives] = [[uptime()], uptime()];
  const ping = () => stream.write({ ping: { id: sentAt.push(uptime()) - 1 } });
  const pinging = setInterval(() => (uptime() > heardAt + 15 ? stream.cancel() : ping()), 5_000);
  stream.write({ start: { resumeToken: token } });
  stream.on('data', ({ response: kind, pingId, [kind]: part }) => {
    const until = (ttlMs) => sentAt[pingId] + ttlMs / 1_000;
    heardAt = uptime();
    // Parts are put together in a draft. Those whose last part never comes mean nothing.
    if (kind !== going) [going, draft, lives] = [kind, new Map(kind === 'snapshot' ? [] : held), new Map()];
    if (part.forget) [held, token] = [new Map(), ''];
    for (const { recordId, reason } of part.tombstones ?? [])
      if (draft.delete(recordId) && reason.endsWith('GRANT_REVOKED') && held.delete(recordId)) token = ''; // at once
    for (const it of part.records ?? part.upserts ?? []) draft.set(it.recordId, { ...it, until: until(it.ttlMs) });
    for (const recordId of part.removed ?? []) draft.delete(recordId);
    for (const { renewedBy, ttlMs } of part.floors ?? []) lives.set(renewedBy, until(ttlMs));
    for (const [at, recordId] of part.recordIds?.entries() ?? []) lives.set(recordId, until(part.ttlMs[at]));
    if (part.toToken && token && part.fromToken !== token) return stream.cancel(); // a change was lost
    if (!part.token && !part.toToken && !part.isLast) return; // more parts follow
    // Never shorter than it was.
    for (const it of draft.values()) it.until = Math.max(it.until, lives.get(it.recordId) ?? lives.get(it.renewedBy) ?? 0);
    [held, token, going] = [draft, part.token || part.toToken || token, undefined];
  });
  stream.on('error', ({ details }) => console.error(details));
  stream.on('status', ({ code }) => {
    if (code === grpc.status.PERMISSION_DENIED) [held, token] = [new Map(), ''];
    clearInterval(pinging);
    setTimeout(follow, 500 + 1_000 * Math.random()); // what is held may be used meanwhile, until it runs out
  });
}

follow();
setInterval(() => {
  const usable = [...held.values()].filter(({ until }) => until > uptime());
  const text = usable
    .map(({ host, endpoint: at }) => `${host} ${at.address}:${at.port}\n`)
    .sort()
    .join('');
  if (text !== shown) console.log(text);
  shown = text;
}, 250);
