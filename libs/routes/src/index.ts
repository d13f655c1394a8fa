export * from './admit.ts';
export * from './table.ts';
