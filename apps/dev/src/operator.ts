import type { Mode } from '@sallyport/authority';
import type { PoolId } from '@sallyport/model';
import { CannotStart } from '@sallyport/process';
import { call, gatewayV1, type Link, modeNumber, policyMessage } from '@sallyport/wire';
import type { WantedService } from './service-option.ts';

/** What the dev stack asks of its own gateway, as any operator would: with a token, over the operator port. */
export interface OperatorClient {
  register(
    name: { readonly workspace: string; readonly sandbox: string },
    mode: Mode,
    poolId: PoolId | '',
  ): Promise<gatewayV1.Sandbox>;
  expose(service: WantedService): Promise<gatewayV1.Service>;
  list(): Promise<readonly gatewayV1.Service[]>;
  /** Empty while the gateway does not answer. */
  sandboxes(): Promise<readonly { readonly name: string; readonly mode: Mode; readonly poolId: string }[]>;
}

const DEADLINE_MS = 5_000;

export function createOperatorClient(link: Link, bearer: string): OperatorClient {
  const options = { deadlineMs: DEADLINE_MS, bearer };
  const methods = gatewayV1.GatewayServiceService;
  const must = <T>(
    result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: { readonly message: string } },
  ): T => {
    if (!result.ok) throw new CannotStart(result.error.message);
    return result.value;
  };
  const present = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the gateway left out what was asked for');
    return value;
  };
  return {
    async register(name, mode, poolId) {
      const request = { name, mode: modeNumber(mode), poolId, runtimeId: '' };
      return present(must(await call(link, methods.registerSandbox, request, options)).sandbox);
    },
    async expose({ ref, port, policy }) {
      return present(
        must(await call(link, methods.exposeService, { name: ref, port, policy: policyMessage(policy) }, options)).service,
      );
    },
    async list() {
      const listed = await call(link, methods.listServices, { workspace: '', sandbox: '' }, options);
      return listed.ok ? listed.value.services : [];
    },
    async sandboxes() {
      const listed = await call(link, methods.listSandboxes, { workspace: '' }, options);
      return (listed.ok ? listed.value.sandboxes : []).map(({ name, mode, poolId }) => ({
        name: `${name?.workspace}/${name?.sandbox}`,
        mode: mode === modeNumber('dedicated') ? 'dedicated' : 'shared',
        poolId,
      }));
    },
  };
}
