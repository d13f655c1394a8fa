import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Failure, failure, ok, type Result } from '@sallyport/model';
import {
  type Binding,
  bind,
  type Caller,
  discoveryV1,
  gatewayV1,
  type HandlersOf,
  listen,
  openTlsFiles,
  type TlsFiles,
  type WireServer,
} from '@sallyport/wire';
import { createTestAuthority } from '@sallyport/wire/testing';
import { afterAll } from 'vitest';
import { execute } from '../execute.ts';

/** A gateway and a discovery that answer as a test says, over real TLS, and a command line that talks to them. */

export const authority = await createTestAuthority();
export const directory = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
export const tokenFile = join(directory, 'token');
writeFileSync(tokenFile, 'e30.e30.sig\n');

const loopback = await authority.issue('loopback', { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
const undo: (() => Promise<void> | void)[] = [];

const unasked = async (): Promise<Result<never, Failure>> => ({
  ok: false,
  error: failure('unsupported', 'not asked for in this test'),
});

type Gateway = HandlersOf<typeof gatewayV1.GatewayServiceService>;
type Discovery = HandlersOf<typeof discoveryV1.DiscoveryServiceService>;

export const gatewayOf = (handlers: Partial<Gateway>): Binding =>
  bind(gatewayV1.GatewayServiceService, {
    registerSandbox: unasked,
    listSandboxes: unasked,
    deleteSandbox: unasked,
    exposeService: unasked,
    listServices: unasked,
    getService: unasked,
    deleteService: unasked,
    bumpCredential: unasked,
    getStatus: unasked,
    checkInstallation: unasked,
    setGrant: unasked,
    listGrants: unasked,
    beginGeneration: unasked,
    ...handlers,
  });

export const discoveryOf = (getSnapshot: Discovery['getSnapshot'], more: Partial<Discovery> = {}): Binding =>
  bind(discoveryV1.DiscoveryServiceService, {
    getSnapshot,
    watch: unasked,
    resolve: unasked,
    explain: unasked,
    getStatus: unasked,
    ...more,
  });

/** A discovery that answers only these. */
export const discoveryAnswering = (handlers: Partial<Discovery>): Binding => discoveryOf(unasked, handlers);

/** Refuses whoever shows another token. */
export const admitted = ({ bearer }: Caller): boolean => bearer === 'e30.e30.sig';

export async function serve(binding: Binding, files: TlsFiles = loopback): Promise<WireServer> {
  const tls = await openTlsFiles(files);
  if (!tls.ok) throw new Error(tls.error);
  const server = await listen({
    address: { host: '127.0.0.1', port: 0 },
    tls: tls.value,
    trustDomain: 'acme.test',
    clients: { kind: 'certificate-or-bearer', apps: [] },
    services: [binding],
    onFault: (_path, error) => {
      throw error;
    },
  });
  undo.push(async () => {
    await server.close(0);
    tls.value.close();
  });
  return server;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function run(
  argv: readonly string[],
  env: Record<string, string> = {},
  signal = new AbortController().signal,
): Promise<Ran> {
  let [out, err] = ['', ''];
  const code = await execute({
    argv,
    env,
    cwd: directory,
    stdout: (text) => {
      out += text;
    },
    stderr: (text) => {
      err += text;
    },
    signal,
  });
  return { code, out, err };
}

/** How to reach a server, as environment. */
export const reach = (server: WireServer, name: 'GATEWAY' | 'DISCOVERY' = 'GATEWAY'): Record<string, string> => ({
  [`SALLYPORT_${name}`]: `127.0.0.1:${server.address.port}`,
  SALLYPORT_TOKEN_FILE: tokenFile,
  SALLYPORT_CA_FILE: authority.caFile,
});

export const { SERVICE_STATE_DECLARED, SERVICE_STATE_INSTALLED, SERVICE_STATE_PUBLISHED, SERVICE_STATE_REJECTED } =
  gatewayV1.ServiceState;

export const service = (change: Partial<gatewayV1.Service> = {}): gatewayV1.Service =>
  gatewayV1.Service.fromPartial({
    name: { workspace: 'team', sandbox: 'demo', service: 'web' },
    port: 3000,
    host: 'team--demo--web.apps.test',
    url: 'https://team--demo--web.apps.test/',
    state: SERVICE_STATE_PUBLISHED,
    endpoint: '10.0.0.7:8443',
    configRevision: 9007199254740993n,
    ...change,
  });

export const answering =
  <T>(value: T) =>
  async (_request: unknown, caller: Caller): Promise<Result<T, Failure>> =>
    admitted(caller) ? ok(value) : { ok: false, error: failure('unauthenticated', 'another token was expected') };

export const refusing = (refusal: Failure) => async (): Promise<Result<never, Failure>> => ({ ok: false, error: refusal });

afterAll(async () => {
  for (const act of undo.reverse()) await act();
  authority.remove();
  rmSync(directory, { recursive: true, force: true });
});
