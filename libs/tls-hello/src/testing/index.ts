export * from './build-hello.ts';
export { type Case, fuzzCase, textOf } from './fuzz.ts';
export { mutatedHello, NAMES } from './mutate.ts';
export { meaningOf } from './oracle.ts';
export { createRandom, type Random } from './random.ts';
