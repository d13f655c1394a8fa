export { type Config, readConfig } from './config.ts';
export { SHARED_POOL, type Stack, startStack } from './stack.ts';
