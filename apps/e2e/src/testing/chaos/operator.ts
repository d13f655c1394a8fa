import { call, gatewayV1, type Link, openLink, openTlsFiles, type UnaryMethod } from '@sallyport/wire';
import type { AppProcess } from '../../authority/rig/app-process.ts';
import type { Pki } from '../../authority/rig/pki.ts';
import type { SandboxWanted } from './installation.ts';

export const POOL = 'pool-1';
export const WORKSPACE = 'team';

export interface Registered {
  readonly host: string;
  readonly poolId: string;
}

/** What operators and readers do, with an admin's token. */
export interface Operator {
  readonly adminToken: string;
  readonly discoveryLink: Link;
  /** Through whichever gateway answers. */
  ask<Request, Response>(method: UnaryMethod<Request, Response>, request: Request): Promise<Response>;
  /** Registers the sandbox under its name (again) and exposes its service. */
  register(sandbox: SandboxWanted, appPort: number): Promise<Registered>;
  close(): void;
}

const methods = gatewayV1.GatewayServiceService;
const DEADLINE_MS = 5_000;

export async function openOperator(pki: Pki, gateways: readonly AppProcess[], discovery: AppProcess): Promise<Operator> {
  const adminToken = await pki.operatorToken({ kind: 'admin' });
  const trust = await openTlsFiles({ caFile: pki.caFile });
  if (!trust.ok) throw new Error(trust.error);
  const linkTo = (process: AppProcess, port: string): Link =>
    openLink({
      target: `127.0.0.1:${process.address(port).port}`,
      tls: trust.value,
      showsCertificate: false,
      server: { kind: 'host-name' },
    });
  const links = gateways.map((gateway) => linkTo(gateway, 'operator'));
  const discoveryLink = linkTo(discovery, 'discovery');

  async function ask<Request, Response>(method: UnaryMethod<Request, Response>, request: Request): Promise<Response> {
    let last = '';
    for (const link of links) {
      const answer = await call(link, method, request, { deadlineMs: DEADLINE_MS, bearer: adminToken });
      if (answer.ok) return answer.value;
      last = `${answer.error.kind}: ${answer.error.message}`;
    }
    throw new Error(`${method.path}: ${last}`);
  }

  return {
    adminToken,
    discoveryLink,
    ask,
    async register({ name: sandbox, mode }, appPort) {
      const name = { workspace: WORKSPACE, sandbox };
      const isOwn = mode === 'dedicated';
      const registered = await ask(methods.registerSandbox, {
        name,
        mode: isOwn ? 1 : 2,
        poolId: isOwn ? '' : POOL,
        runtimeId: `run-${sandbox}`,
      });
      const exposed = await ask(methods.exposeService, { name: { ...name, service: 'web' }, port: appPort, policy: undefined });
      return { host: exposed.service?.host ?? '', poolId: registered.sandbox?.poolId ?? '' };
    },
    close() {
      for (const link of [...links, discoveryLink]) link.close();
      trust.value.close();
    },
  };
}
