import { Agent, request } from 'node:https';

/** An answer that never ends by itself; resolves at its first byte. */
export function download(host: string, port: number, ca: string): Promise<{ readonly ended: Promise<number> }> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: false, maxCachedSessions: 0 });
    const sent = request(
      { host: '127.0.0.1', port, servername: host, path: '/stream', ca, agent, headers: { host } },
      (response) => {
        response.on('error', () => undefined);
        const ended = new Promise<number>((done) => response.once('close', () => done(performance.now())));
        response.once('data', () => resolve({ ended }));
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}
