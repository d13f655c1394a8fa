import { judgeReport, type World } from '@sallyport/authority';
import type { Configuration, ConfiguredService, SandboxId } from '@sallyport/model';
import { gatewayV1, policyMessage } from '@sallyport/wire';
import type { Sessions } from './sessions.ts';

/** How one service stands, as the operator API shows it. */
export interface ServiceStates {
  of(sandboxId: SandboxId, configuration: Configuration, service: ConfiguredService): gatewayV1.Service;
}

const { ServiceState } = gatewayV1;

/** @param urlPort what a browser must add to the host; 443 is left out. 0: the endpoint's own port. */
export function createServiceStates(world: World, sessions: Sessions, urlPort: () => number): ServiceStates {
  function judge(
    sandboxId: SandboxId,
    { revision, hash }: Configuration,
    host: string,
  ): Pick<gatewayV1.Service, 'state' | 'detail' | 'endpoint'> {
    const is = (state: gatewayV1.ServiceState, detail: string, endpoint = '') => ({ state, detail, endpoint });
    const answer = sessions.answers(sandboxId).find((each) => each.revision === revision && each.hash === hash);
    if (answer?.rejection !== undefined)
      return is(ServiceState.SERVICE_STATE_REJECTED, `the supervisor rejected configuration ${revision}: ${answer.rejection}`);
    const owner = world.owners.get(sandboxId)?.value;
    if (owner?.kind !== 'owned')
      return is(
        ServiceState.SERVICE_STATE_DECLARED,
        owner?.kind === 'fencing' ? 'its supervisor was lost; another takes over' : 'no supervisor serves the sandbox',
      );
    const installation = world.installations.get(sandboxId);
    const session = world.session(sandboxId, owner.by)?.value;
    if (installation !== undefined && session !== undefined && world.credentials.get(sandboxId) !== undefined) {
      const { value } = installation;
      const { routes, configRevision, ownerEpoch, endpoint } = value;
      const stands = judgeReport(
        world,
        { sandboxId, memberId: value.memberId, sessionId: session.sessionId, credentialEpoch: session.credentialEpoch },
        {
          sessionId: session.sessionId,
          runtimeId: session.runtimeId,
          configRevision,
          configHash: hash,
          ownerEpoch,
          routes,
          ready: true,
        },
      );
      if (stands.ok && stands.value.fence.session === value.fence.session && routes.some((route) => route.host === host)) {
        return is(
          ServiceState.SERVICE_STATE_PUBLISHED,
          '',
          `${endpoint.address.includes(':') ? `[${endpoint.address}]` : endpoint.address}:${endpoint.port}`,
        );
      }
    }
    if (answer !== undefined) return is(ServiceState.SERVICE_STATE_INSTALLED, 'installed; not published (yet)');
    return is(ServiceState.SERVICE_STATE_DECLARED, 'the supervisor has not acknowledged the newest configuration');
  }

  return {
    of(sandboxId, configuration, service) {
      const judged = judge(sandboxId, configuration, service.host);
      // Without a port of its own the URL has that of the supervisor that serves it now.
      const port = urlPort() || Number(judged.endpoint.split(':').at(-1)) || 443;
      return {
        name: { workspace: configuration.workspace, sandbox: configuration.sandbox, service: service.service },
        port: service.port,
        policy: policyMessage(service.policy),
        host: service.host,
        url: `https://${service.host}${port === 443 ? '' : `:${port}`}/`,
        configRevision: configuration.revision,
        sinceMs: 0n,
        ...judged,
      };
    },
  };
}
