import { Agent, request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import type { Rig } from './rig.ts';

/** One request through a member, on a connection of its own: status, and our code if the answer is our own; 0 if there is none. */
export function ask(rig: Rig, port: number): Promise<{ readonly status: number; readonly code: string | undefined }> {
  return new Promise((resolve) => {
    const agent = new Agent({ keepAlive: false });
    const options = { host: '127.0.0.1', port, servername: rig.host, headers: { host: rig.host }, ca: rig.ca, agent };
    const sent = request(options, (response) => {
      response.resume();
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, code: response.headers['sallyport-error'] as string | undefined }),
      );
    });
    sent.setTimeout(5_000, () => sent.destroy());
    sent.on('error', () => resolve({ status: 0, code: undefined }));
    sent.end();
  });
}

/** A WebSocket through a member, open: bytes written to it reach the application as they are. */
export function openTunnel(rig: Rig, port: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername: rig.host, ca: rig.ca });
    socket.on('error', reject);
    socket.write(
      `GET /ws HTTP/1.1\r\nHost: ${rig.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    socket.once('data', (chunk: Buffer) => {
      if (!chunk.toString('latin1').startsWith('HTTP/1.1 101')) return reject(new Error(chunk.toString('latin1')));
      socket.removeListener('error', reject);
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}
