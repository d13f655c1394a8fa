export { type Config, readConfig } from './config.ts';
export { type Gateway, wire } from './wire.ts';
