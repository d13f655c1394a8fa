export { execute, type Host } from './execute.ts';
