export { type Config, readConfig } from './config.ts';
export { type BoundaryServer, wire } from './wire.ts';
