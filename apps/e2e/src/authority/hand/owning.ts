import { call, gatewayV1, type Link, supervisorV1 as sv } from '@sallyport/wire';
import { CREDENTIAL, POOL, type Stage } from '../misuse/stage.ts';
import { until } from '../rig/until.ts';
import { type HandSession, joinByHand, openByHand, type Told } from './hand-supervisor.ts';

/** A member by hand that owns one sandbox, up to its first challenge. */
export interface Owning {
  readonly session: HandSession;
  readonly sandboxId: string;
  readonly accepted: Told<'accepted'>;
  readonly configuration: Told<'configuration'>;
  readonly ownerEpoch: bigint;
  readonly hello: sv.SessionHello;
  /** An honest report on the newest challenge; what is given differs from it. */
  report(challenge: Told<'challenge'>, lies?: Partial<sv.Report>): void;
  leave(): void;
}

const methods = gatewayV1.GatewayServiceService;

export async function ownByHand(
  stage: Stage,
  memberId: string,
  { sandbox = 'box', capabilities = { advertisements: true, push: true } as sv.Capabilities | undefined } = {},
): Promise<Owning> {
  const operator = await stage.link('operator', undefined);
  const bearer = await stage.pki.operatorToken({ kind: 'admin' });
  const name = { workspace: 'team', sandbox };
  const register = { name, mode: sv.Mode.MODE_SHARED, poolId: POOL, runtimeId: 'r1' };
  const registered = await call(operator, methods.registerSandbox, register, { deadlineMs: 30_000, bearer });
  const expose = { name: { ...name, service: 'web' }, port: 8_080, policy: undefined };
  await call(operator, methods.exposeService, expose, { deadlineMs: 30_000, bearer });
  const sandboxId = registered.ok ? (registered.value.sandbox?.sandboxId ?? '') : '';

  const link: Link = await stage.link('supervisor', 'supervisor');
  const state = { ready: true, draining: false, appPort: 8_443, capacity: 10 };
  const join = joinByHand(link, { memberId, poolId: POOL, credential: CREDENTIAL, state });
  await until('the sandbox is assigned', () => join.assignments().some((each) => each.sandboxId === sandboxId), 10_000);
  const hello: sv.SessionHello = { sandboxId, runtimeId: 'r1', memberId, credential: CREDENTIAL, capabilities };
  const session = openByHand(link, hello);
  const accepted = await session.hear('accepted');
  const { ownerEpoch } = await session.hear('ownership');
  const configuration = await session.hear('configuration');
  session.send({ $case: 'applied', value: { revision: configuration.revision, hash: configuration.hash, ownerEpoch } });
  return {
    session,
    sandboxId,
    accepted,
    configuration,
    ownerEpoch,
    hello,
    report({ nonce, sequence }, lies = {}) {
      const routes = configuration.services.map(({ service, host, port }) => ({ service, host, port }));
      const honest: sv.Report = {
        nonce,
        sequence,
        sessionId: accepted.sessionId,
        runtimeId: 'r1',
        configRevision: configuration.revision,
        configHash: configuration.hash,
        ownerEpoch,
        routes,
        ready: true,
        boundaryNonce: '',
      };
      session.send({ $case: 'report', value: { ...honest, ...lies } });
    },
    leave() {
      session.end();
      join.end();
    },
  };
}
