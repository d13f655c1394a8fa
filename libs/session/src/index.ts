export * from './gateway.ts';
export type * from './gateway-step.ts';
export * from './messages.ts';
export * from './pulse.ts';
export * from './supervisor.ts';
