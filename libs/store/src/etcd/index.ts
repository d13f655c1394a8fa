export { splitEndpoints } from './address.ts';
export { CALL_DEADLINE_MS, createEtcdStore, type EtcdStoreOptions, type EtcdWarning } from './store.ts';
export type { EtcdTls } from './tls.ts';
export { ETCD_VERSION_MIN } from './witness.ts';
