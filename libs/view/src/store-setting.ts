import { err, ok, type Result } from '@sallyport/model';
import type { Reader } from '@sallyport/process';

/** How a process is told which etcd keeps the records. */
export type StoreSetting = ReturnType<typeof readStoreSetting>;

export const readStoreSetting = (read: Reader) => ({
  endpoints: read.parsed(
    'store',
    'The etcd that keeps the records: etcd://host:port, further members after commas.',
    parseEndpoints,
    {
      optional: true,
      placeholder: 'etcd://HOST:PORT',
    },
  ),
  tls: {
    caFile: read.file('etcd-ca-file', 'CA of the etcd, PEM; without it the connection is plain.', { optional: true }),
    certFile: read.file('etcd-cert-file', 'Certificate that proves this process to etcd, PEM.', { optional: true }),
    keyFile: read.file('etcd-key-file', 'Key of that certificate, PEM.', { optional: true }),
    serverName: read.text('etcd-server-name', "Name in the etcd members' certificates, where their addresses are no names.", {
      optional: true,
    }),
  },
});

const ENDPOINT = /^(?:\[[0-9a-f:]+\]|[A-Za-z0-9.-]+):\d{1,5}$/;

export function parseEndpoints(text: string): Result<readonly string[], string> {
  const endpoints = text.startsWith('etcd://') ? text.slice('etcd://'.length).split(',') : [];
  if (endpoints.length > 0 && endpoints.every((endpoint) => ENDPOINT.test(endpoint))) return ok(endpoints);
  return err(`${JSON.stringify(text.slice(0, 120))} is not etcd://host:port[,host:port…]`);
}
