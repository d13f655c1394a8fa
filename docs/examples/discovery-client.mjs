// A client of discovery: node discovery-client.mjs HOST:PORT CA_FILE TOKEN_FILE PROTO_FILE
// Whenever it changes, prints what may be dialled now: a line "host address:port" for each record, then an empty one.
import { readFileSync } from 'node:fs';
import { uptime as now } from 'node:os'; // seconds that go on while the machine sleeps
// biome-ignore lint/correctness/noUndeclaredDependencies: whoever copies this installs it
import grpc from '@grpc/grpc-js';
// biome-ignore lint/correctness/noUndeclaredDependencies: whoever copies this installs it
import { loadSync } from '@grpc/proto-loader';

const [target, ca, secret, proto] = process.argv.slice(2);
const { v1 } = grpc.loadPackageDefinition(loadSync(proto, { enums: String, defaults: true, oneofs: true })).sallyport.discovery;
const client = new v1.DiscoveryService(target, grpc.credentials.createSsl(readFileSync(ca)));
let [held, token, shown] = [new Map(), '', []]; // what ran out stays held: a Renew may bring it back

(function follow() {
  const stream = client.watch(grpc.Metadata.fromHttp2Headers({ authorization: `Bearer ${readFileSync(secret, 'utf8').trim()}` }));
  // Lives count from the Ping that a message names; the start is Ping 0. Silence of 15 s means that the stream is lost.
  let [sent, lost, going, draft, lives] = [[now()], now() + 15];
  const pings = setInterval(() => (now() > lost ? stream.cancel() : stream.write({ ping: { id: sent.push(now()) - 1 } })), 5_000);
  stream.write({ start: { resumeToken: token } });
  stream.on('data', ({ response: kind, pingId, [kind]: part }) => {
    const until = (ttlMs) => sent[pingId] + ttlMs / 1_000;
    lost = now() + 15;
    // Parts are put together in a draft. Those whose last part never comes mean nothing.
    if (kind !== going) [going, draft, lives] = [kind, new Map(kind === 'snapshot' ? [] : held), new Map()];
    if (part.forget) [held, token] = [new Map(), ''];
    // What may not be seen any more goes at once, whatever follows.
    for (const gone of part.tombstones ?? part.removed ?? []) draft.delete(gone.recordId ?? gone);
    for (const { recordId, reason } of part.tombstones ?? []) if (/GRANT/.test(reason) && held.delete(recordId)) token = '';
    for (const it of part.records ?? part.upserts ?? []) draft.set(it.recordId, { ...it, end: until(it.ttlMs) });
    for (const { renewedBy, ttlMs } of part.floors ?? []) lives.set(renewedBy, until(ttlMs));
    for (const [at, recordId] of part.recordIds?.entries() ?? []) lives.set(recordId, until(part.ttlMs[at]));
    if (part.toToken && token && part.fromToken !== token) return stream.cancel(); // a change was lost
    if (!part.token && !part.toToken && !part.isLast) return; // more parts follow
    // Never shorter than it was.
    for (const it of draft.values()) it.end = Math.max(it.end, lives.get(it.recordId) ?? lives.get(it.renewedBy) ?? 0);
    [held, token, going] = [draft, part.token || part.toToken || token, undefined];
  });
  stream.on('error', ({ details }) => console.error(details));
  stream.on('status', ({ code }) => {
    if (code === grpc.status.PERMISSION_DENIED) [held, token] = [new Map(), ''];
    clearInterval(pings);
    setTimeout(follow, 500 + 1_000 * Math.random()); // what is held may be used meanwhile, until it runs out
  });
})();

setInterval(() => {
  const list = [...held.values()].map(({ host, endpoint: at, end }) => (end > now() ? `${host} ${at.address}:${at.port}\n` : ''));
  if (list.sort().join('') !== shown.join('')) console.log(list.join(''));
  shown = list;
}, 250);
