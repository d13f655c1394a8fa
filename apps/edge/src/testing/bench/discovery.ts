import { failure, ok, type Result } from '@sallyport/model';
import { bind, discoveryV1, listen, openTlsFiles, watchResponseMessage } from '@sallyport/wire';
import type { createTestAuthority } from '@sallyport/wire/testing';
import { recordOf } from '../records.ts';
import { HOST } from './host.ts';

const unasked = async (): Promise<Result<never, ReturnType<typeof failure>>> => ({
  ok: false,
  error: failure('unsupported', 'not asked for'),
});
const RENEW_MS = 2_000;
const TTL_MS = 13_000;

/** A discovery service with one record, which it renews. */
export async function serveDiscovery(
  files: Awaited<ReturnType<Awaited<ReturnType<typeof createTestAuthority>>['issue']>>,
  port: number,
) {
  const tls = await openTlsFiles(files);
  if (!tls.ok) throw new Error(tls.error);
  const service = bind(discoveryV1.DiscoveryServiceService, {
    getSnapshot: unasked,
    resolve: unasked,
    explain: unasked,
    getStatus: unasked,
    async watch(stream) {
      let pingId = 0n;
      const send = (message: Parameters<typeof watchResponseMessage>[0]['message']): void =>
        void stream.send(watchResponseMessage({ pingId, message }));
      const timer = setInterval(() => {
        send({ kind: 'renew', floors: [{ renewedBy: 'gw.1', ttlMs: TTL_MS }], singles: [], isLast: true });
        send({ kind: 'heartbeat', token: 't', lagMs: 0, hasAuthority: true });
      }, RENEW_MS);
      for await (const { request } of stream.received) {
        if (request?.$case === 'ping') pingId = request.value.id;
        if (request?.$case === 'start')
          send({ kind: 'snapshot', pages: [[{ record: recordOf(HOST, port), ttlMs: TTL_MS }]], removed: [], token: 't' });
      }
      clearInterval(timer);
      return ok(undefined);
    },
  } as Parameters<typeof bind<typeof discoveryV1.DiscoveryServiceService>>[1]);
  const server = await listen({
    address: { host: '127.0.0.1', port: 0 },
    tls: tls.value,
    trustDomain: 'acme.test',
    clients: { kind: 'certificate-or-bearer', apps: [] },
    services: [service],
    onFault: (_path, error) => {
      throw error;
    },
  });
  return {
    target: `127.0.0.1:${server.address.port}`,
    async close() {
      await server.close(0);
      tls.value.close();
    },
  };
}
