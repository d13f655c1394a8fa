import { Client, credentials } from '@grpc/grpc-js';
import { type Failure, failure, ok, type Result } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import type { ServerOptions } from './server.ts';
import { ask, authority, drivers, link, serve, source, spiffe, stranger, trustDomain } from './testing/wired.ts';

describe('who is let in', () => {
  const echo = drivers({ getSandbox: async () => ok({ workload: undefined }) });
  const kindOf = (result: Result<unknown, Failure>): string => (result.ok ? 'ok' : result.error.kind);

  test('an app that the port does not take is refused', async () => {
    const tls = await source(await authority.issue('supervisor', spiffe('supervisor')));
    expect(kindOf(await ask(link(await serve([echo]), { tls })))).toBe('forbidden');
  });
  test('so is an app that names another trust domain', async () => {
    const tls = await source(await authority.issue('other', { uris: ['spiffe://other.test/gateway/one'] }));
    expect(kindOf(await ask(link(await serve([echo]), { tls })))).toBe('unauthenticated');
  });
  test('a certificate of another CA does not connect', async () => {
    const files = await stranger.issue('gateway', spiffe('gateway'));
    const tls = await source({ ...files, caFile: authority.caFile });
    expect(kindOf(await ask(link(await serve([echo]), { tls })))).toBe('not-ready');
  });
  test('no certificate does not connect', async () => {
    expect(kindOf(await ask(link(await serve([echo]), { showsCertificate: false })))).toBe('not-ready');
  });
  test('plain text does not connect', async () => {
    const client = new Client(`127.0.0.1:${(await serve([echo])).address.port}`, credentials.createInsecure());
    expect(kindOf(await ask({ client, close: () => client.close() }))).toBe('not-ready');
    client.close();
  });

  const open: Partial<ServerOptions> = { clients: { kind: 'certificate-or-bearer', apps: ['gateway'] } };
  const whoami = drivers({
    getSandbox: async (_request, { peer, bearer }) =>
      peer || bearer ? ok({ workload: undefined }) : { ok: false, error: failure('unauthenticated', 'who?') },
  });
  test('where a bearer will do, no certificate is needed', async () => {
    const to = link(await serve([whoami], open), { showsCertificate: false });
    expect(kindOf(await ask(to, { bearer: 'abc' }))).toBe('ok');
    expect(kindOf(await ask(to))).toBe('unauthenticated');
  });
  test('where a bearer will do, a certificate of another CA names nobody', async () => {
    const tls = await source({ ...(await stranger.issue('gateway2', spiffe('gateway'))), caFile: authority.caFile });
    expect(kindOf(await ask(link(await serve([whoami], open), { tls })))).toBe('unauthenticated');
  });
  test('where a bearer will do, the wrong app is refused all the same', async () => {
    const tls = await source(await authority.issue('edge', spiffe('edge')));
    expect(kindOf(await ask(link(await serve([whoami], open), { tls }), { bearer: 'abc' }))).toBe('forbidden');
  });

  test('a client refuses a server that is another app', async () => {
    const result = await ask(link(await serve([echo]), { server: { kind: 'app', app: 'gateway', trustDomain } }));
    expect(result).toMatchObject({
      error: { kind: 'not-ready', message: expect.stringMatching(/names "driver", not "gateway"/) },
    });
  });
  test('a client refuses a server of another CA', async () => {
    const tls = await source({ ...(await authority.issue('gateway', spiffe('gateway'))), caFile: stranger.caFile });
    expect(kindOf(await ask(link(await serve([echo]), { tls })))).toBe('not-ready');
  });
  test('a client that goes by host names refuses another name', async () => {
    const tls = await source(
      await authority.issue('named', { uris: ['spiffe://acme.test/driver/one'], dnsNames: ['elsewhere.test'] }),
    );
    expect(kindOf(await ask(link(await serve([echo], { tls }), { server: { kind: 'host-name' } })))).toBe('not-ready');
  });
  test('and takes its own', async () => {
    expect(kindOf(await ask(link(await serve([echo]), { server: { kind: 'host-name' } })))).toBe('ok');
  });
});
