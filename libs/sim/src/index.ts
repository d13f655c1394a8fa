export { runSeed, type SeedOptions, type SeedResult } from './run-seed.ts';
