export * from './challenge.ts';
export * from './judge.ts';
export * from './lease.ts';
export * from './ownership.ts';
export * from './records.ts';
export * from './standing.ts';
export * from './timers.ts';
export * from './world.ts';
