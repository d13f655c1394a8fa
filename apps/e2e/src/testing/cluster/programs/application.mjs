// The application in a sandbox: tells its process and its memory, and echoes WebSockets. Nothing but Node itself is needed.
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const memory = randomUUID();
let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  if (request.url === '/stream') {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const timer = setInterval(() => response.write('line\n'), 100);
    response.on('close', () => clearInterval(timer));
    return;
  }
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ pid: process.pid, memory, requests, headers: request.headers, path: request.url }));
});
server.on('upgrade', (request, socket, head) => {
  // RFC 6455 section 4.2.2.
  const accept = createHash('sha1')
    .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  socket.on('error', () => undefined);
  if (head.length > 0) socket.write(head);
  socket.pipe(socket);
});
server.listen(Number(process.argv[2]), '127.0.0.1');
// Whoever started it here as a process is gone.
process.on('disconnect', () => process.exit());
