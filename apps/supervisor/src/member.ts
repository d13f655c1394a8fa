/** A supervisor without its ports: what it does with any gateway and any data plane. The simulation runs it as it is. */
export type { AskFailure } from './boundary/ask.ts';
export type { BoundaryLink } from './boundary/boundary-link.ts';
export { type BoundaryTalk, createBoundaryTalk } from './boundary/boundary-talk.ts';
export { type Following, type FollowOptions, followGateway } from './follow-gateway.ts';
export type { GatewayPort } from './gateway-port.ts';
export { createHosted, type Hosted, type HostedOptions } from './hosted.ts';
export { letGo } from './let-go.ts';
