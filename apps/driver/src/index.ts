export { type Config, readConfig } from './config.ts';
export type * from './driver.ts';
export { createKubernetesDriver, type KubernetesDriver } from './kubernetes-driver.ts';
export { type DriverServer, serveDriver } from './serve.ts';
export {
  createStaticDriver,
  credentialHash,
  type StaticDriver,
  type StaticState,
  type StaticSupervisor,
} from './static-driver.ts';
export { wire } from './wire.ts';
