export * from './configuration.ts';
export * from './failure.ts';
export * from './host.ts';
export * from './ids.ts';
export * from './instant.ts';
export * from './names.ts';
export * from './result.ts';
