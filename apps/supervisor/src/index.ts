export { type Config, readConfig } from './config.ts';
export { type Supervisor, wire } from './wire.ts';
