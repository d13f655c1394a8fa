export * from './records.ts';
export * from './standing.ts';
