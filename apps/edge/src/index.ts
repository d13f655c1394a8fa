export { type Config, readConfig } from './config.ts';
export { type Edge, wire } from './wire.ts';
