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

/** As the connector dials: an application may listen on ::1 only. */
const statusOf = async (port: number, host: string): Promise<number | undefined> =>
  (await askAt('127.0.0.1', port, host)) ?? askAt('::1', port, host);

const isRefusal = (status: number | undefined): boolean => status === 400 || status === 403;

function askAt(address: string, port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = request({ host: address, port, path: '/', headers: { host }, timeout: ANSWER_MS }, (response) => {
      response.destroy();
      resolve(response.statusCode);
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(undefined));
    sent.end();
  });
}
