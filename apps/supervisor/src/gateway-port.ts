import type { Failure, Result } from '@sallyport/model';
import { call, type Link, openStream, type Stream, supervisorV1 } from '@sallyport/wire';

/** One gateway replica as a supervisor calls it: over gRPC in production, over lossy links in the simulation. */
export interface GatewayPort {
  join(signal: AbortSignal): Stream<supervisorV1.JoinRequest, supervisorV1.JoinResponse>;
  session(signal: AbortSignal): Stream<supervisorV1.SessionRequest, supervisorV1.SessionResponse>;
  poll(
    request: supervisorV1.PollConfigurationRequest,
    options: { readonly deadlineMs: number; readonly signal: AbortSignal },
  ): Promise<Result<supervisorV1.PollConfigurationResponse, Failure>>;
}

export function gatewayPort(link: Link): GatewayPort {
  const methods = supervisorV1.SupervisorServiceService;
  return {
    join: (signal) => openStream(link, methods.join, { signal }),
    session: (signal) => openStream(link, methods.session, { signal }),
    poll: (request, options) => call(link, methods.pollConfiguration, request, options),
  };
}
