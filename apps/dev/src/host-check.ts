import { request } from 'node:http';

const ANSWER_MS = 2_000;

/**
 * Whether an application refuses its public name but takes `localhost`: dev servers check the Host to keep out pages that
 * rebind their DNS. Asked of the application itself, since a 403 alone may be anything.
 */
export async function refusesHost(port: number, host: string): Promise<boolean> {
  const [asPublic, asLoopback] = await Promise.all([statusOf(port, host), statusOf(port, `localhost:${port}`)]);
  return isRefusal(asPublic) && asLoopback !== undefined && !isRefusal(asLoopback);
}

const isRefusal = (status: number | undefined): boolean => status === 400 || status === 403;

function statusOf(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, path: '/', headers: { host }, timeout: ANSWER_MS }, (response) => {
      response.destroy();
      resolve(response.statusCode);
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(undefined));
    sent.end();
  });
}
