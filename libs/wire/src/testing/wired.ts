import { afterAll } from 'vitest';
import { type CallOptions, call, type Link, type LinkOptions, openLink } from '../client.ts';
import { ComputeDriverServiceService as driver } from '../gen/sallyport/driver/v1/driver.ts';
import { SupervisorServiceService as supervisor } from '../gen/sallyport/supervisor/v1/supervisor.ts';
import type { HandlersOf } from '../methods.ts';
import { bind, listen, type ServerOptions, type WireServer } from '../server.ts';
import { openTlsFiles, type TlsFiles, type TlsSource } from '../tls-files.ts';
import { createTestAuthority } from './certificates.ts';

/** Servers and clients over real TLS on loopback; all that a test file began is ended after its last test. */

export const trustDomain = 'acme.test';
export const authority = await createTestAuthority();
/** A CA that nobody trusts. */
export const stranger = await createTestAuthority();
export const spiffe = (app: string) => ({
  uris: [`spiffe://${trustDomain}/${app}/one`],
  dnsNames: ['localhost'],
  ipAddresses: ['127.0.0.1'],
});

export const undo: (() => Promise<void> | void)[] = [];
export const source = async (files: TlsFiles | { caFile: string }, refreshMs?: number): Promise<TlsSource> => {
  const opened = await openTlsFiles(files, refreshMs === undefined ? {} : { refreshMs });
  if (!opened.ok) throw new Error(opened.error);
  undo.push(() => opened.value.close());
  return opened.value;
};

const refusing = (): never => {
  throw new Error('not used');
};
export const drivers = (handlers: Partial<HandlersOf<typeof driver>>) =>
  bind(driver, {
    getCapabilities: refusing,
    getSandbox: refusing,
    listSandboxes: refusing,
    watchSandboxes: refusing,
    authenticateSupervisor: refusing,
    checkSelf: refusing,
    ...handlers,
  });
export const supervisors = (session: HandlersOf<typeof supervisor>['session']) =>
  bind(supervisor, { join: refusing, session, pollConfiguration: refusing });

const serverTls = await source(await authority.issue('driver', spiffe('driver')));
const clientTls = await source(await authority.issue('gateway', spiffe('gateway')));
export const faults: unknown[] = [];

export async function serve(services: ServerOptions['services'], options: Partial<ServerOptions> = {}): Promise<WireServer> {
  const server = await listen({
    address: { host: '127.0.0.1', port: 0 },
    tls: serverTls,
    trustDomain,
    clients: { kind: 'certificate', apps: ['gateway'] },
    services,
    onFault: (_path, error) => faults.push(error),
    ...options,
  });
  undo.push(() => server.close(0));
  return server;
}

export function link(server: WireServer, options: Partial<LinkOptions> = {}): Link {
  const opened = openLink({
    target: `127.0.0.1:${server.address.port}`,
    tls: clientTls,
    showsCertificate: true,
    server: { kind: 'app', app: 'driver', trustDomain },
    ...options,
  });
  undo.push(() => opened.close());
  return opened;
}

export const ask = (to: Link, options: Partial<CallOptions> = {}) =>
  call(to, driver.getSandbox, { workspace: 'team', sandbox: 'demo' }, { deadlineMs: 5_000, ...options });

afterAll(async () => {
  for (const act of undo.reverse()) await act();
  authority.remove();
  stranger.remove();
});
