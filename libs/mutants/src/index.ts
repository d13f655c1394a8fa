export { collectMutants } from './collect.ts';
export type { Mutant } from './mutant.ts';
