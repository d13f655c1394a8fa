export { type DevCertificates, keepCertificates } from './certificates.ts';
export { type Config, readConfig } from './config.ts';
export { createLocalDriver, type LocalDriver } from './local-driver.ts';
export { createOperatorClient, type OperatorClient } from './operator.ts';
export { SHARED_POOL, type Stack, startStack } from './stack.ts';
export { makeTokens, readToken } from './tokens.ts';
