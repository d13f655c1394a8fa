export * from './gateway.ts';
export * from './messages.ts';
export * from './supervisor.ts';
