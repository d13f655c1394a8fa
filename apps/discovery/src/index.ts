export { type Config, readConfig } from './config.ts';
export { type Discovery, type Given, wire } from './wire.ts';
