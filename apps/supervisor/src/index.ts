export { type AppListener, type AppListenerOptions, openAppListener } from './app-listener.ts';
export { type Config, readConfig } from './config.ts';
export { createExchangeMetrics } from './observe.ts';
export { type Supervisor, wire } from './wire.ts';
