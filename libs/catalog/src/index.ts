export * from './eligibility.ts';
export * from './evidence.ts';
export * from './snapshot.ts';
