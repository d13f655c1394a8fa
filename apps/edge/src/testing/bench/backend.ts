import { createServer } from 'node:net';

/**
 * Stands for a supervisor, as cheap as Node can be: reads past the hello up to one command byte. `b`: bytes, for ever. `1`: one
 * byte, then the end. `i`: nothing, for ever. `u`: reads what comes, for ever.
 */
const CHUNK = Buffer.alloc(262_144, 0x17);
const HELLO_BYTES = Number(process.argv[2]);

const server = createServer({ noDelay: true }, (socket) => {
  let seen = 0;
  socket.on('error', () => undefined);
  const begin = (bytes: Buffer): void => {
    seen += bytes.length;
    if (seen <= HELLO_BYTES) return;
    socket.off('data', begin);
    socket.on('data', () => undefined);
    const command = String.fromCharCode(bytes[bytes.length - 1 - (seen - HELLO_BYTES - 1)] as number);
    if (command === '1') socket.end('1');
    if (command !== 'b') return;
    const send = (): void => {
      while (!socket.destroyed && socket.write(CHUNK));
    };
    socket.on('drain', send);
    send();
  };
  socket.on('data', begin);
});
server.listen({ host: '127.0.0.1', port: 0, backlog: 4_096 }, () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
