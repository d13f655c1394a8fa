import type { Mode } from '@sallyport/authority';
import type { Failure, PoolId, Result } from '@sallyport/model';
import { later } from '@sallyport/model';
import { CannotStart, type Process, wait } from '@sallyport/process';
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

/** How long a store that has just started, or a gateway without authority, may take to accept a change. */
const TAKEN_WITHIN_MS = 30_000;
const AGAIN_EVERY_MS = 250;

/** What stands already is left alone, so the same may be asked again where nobody knows whether it was done. */
export async function untilTaken<T>(
  ask: () => Promise<Result<T, Failure>>,
  process: Pick<Process, 'clock' | 'stopping'> | undefined,
): Promise<T> {
  const until = process === undefined ? undefined : later(process.clock.now(), TAKEN_WITHIN_MS);
  for (;;) {
    const answer = await ask();
    if (answer.ok) return answer.value;
    const { kind, message } = answer.error;
    if (kind !== 'not-ready' || process === undefined || until === undefined) throw new CannotStart(message);
    if (process.clock.now() >= until || (await wait(process.clock, AGAIN_EVERY_MS, process.stopping)) === 'aborted')
      throw new CannotStart(
        `${message}; asked for ${TAKEN_WITHIN_MS / 1_000} s: is the machine very busy? Start again, with --log-level=debug to see more`,
      );
  }
}

/** Without a `process` to wait with, each change is asked for once. */
export function createOperatorClient(link: Link, bearer: string, process?: Pick<Process, 'clock' | 'stopping'>): OperatorClient {
  const options = { deadlineMs: DEADLINE_MS, bearer };
  const methods = gatewayV1.GatewayServiceService;
  const present = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the gateway left out what was asked for');
    return value;
  };
  // Shown until a gateway answers again: what nobody told of is not gone.
  let known: readonly gatewayV1.Service[] = [];
  return {
    async register(name, mode, poolId) {
      const request = { name, mode: modeNumber(mode), poolId, runtimeId: '' };
      return present((await untilTaken(() => call(link, methods.registerSandbox, request, options), process)).sandbox);
    },
    async expose({ ref, port, policy }) {
      const request = { name: ref, port, policy: policyMessage(policy) };
      return present((await untilTaken(() => call(link, methods.exposeService, request, options), process)).service);
    },
    async list() {
      const listed = await call(link, methods.listServices, { workspace: '', sandbox: '' }, options);
      if (listed.ok) known = listed.value.services;
      return known;
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
