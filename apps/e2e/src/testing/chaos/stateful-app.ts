import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createWriteStream, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The application of one sandbox, as a process of its own: it counts what reaches it, answers with its count, and writes down
 * each request and each line of a tunnel with the time and the connection. `node stateful-app.ts SANDBOX FILE`.
 */
const [sandbox = '', file = ''] = process.argv.slice(2);
const life = randomUUID();
const memory = randomBytes(1024 * 1024);
const log = createWriteStream(file, { flags: 'a' });
let count = 0;

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;
const connectedAt = new WeakMap<Socket, number>();

function write(socket: Socket, id: string, line?: { readonly writtenAt: number }): void {
  count += 1;
  const connectedAtWallMs = connectedAt.get(socket) ?? 0;
  const delivery = { sandbox, at: nowMs(), peerPort: socket.remotePort ?? 0, connectedAtWallMs, id, line, count };
  log.write(`${JSON.stringify(delivery)}\n`);
}

const state = (): object => ({
  sandbox,
  pid: process.pid,
  life,
  count,
  startedAtTicks: readFileSync('/proc/self/stat', 'latin1').split(') ')[1]?.split(' ')[19],
  digest: createHash('sha256').update(memory).digest('hex'),
});

const server = createServer((request, response) => {
  if (request.url === '/state') return void response.end(JSON.stringify(state()));
  const id = request.url?.slice(1) ?? '';
  write(request.socket, id);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ sandbox, id, life, count }));
});
server.on('connection', (socket) => void connectedAt.set(socket, Date.now()));
server.on('upgrade', (request, socket: Socket, head) => {
  const id = request.url?.slice(1) ?? '';
  write(socket, id);
  // RFC 6455 section 4.2.2.
  const accept = createHash('sha1')
    .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  let rest = '';
  const take = (chunk: Buffer): void => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) write(socket, id, { writtenAt: Number(line.trim()) });
  };
  take(head);
  socket.on('data', take);
  socket.on('end', () => socket.end());
  socket.on('error', () => undefined);
});
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
// The starter is gone, or wants all that was written.
process.on('disconnect', () => log.end(() => process.exit(0)));
process.on('SIGINT', () => undefined);
