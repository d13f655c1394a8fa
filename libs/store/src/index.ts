export {
  type CacheOptions,
  type CacheSubscriber,
  followStore,
  RELIST_EACH_MS,
  type RelistReason,
  type StoreCache,
} from './cache.ts';
export type { StoreClock } from './clock.ts';
export * from './keys.ts';
export { checkKey, checkTransaction, KEY_LENGTH_MAX, TRANSACTION_BYTES_MAX, VALUE_BYTES_MAX } from './limits.ts';
export {
  createMemoryStore,
  type Fault,
  type Faults,
  HISTORY_EVENTS_MAX,
  type MemoryClient,
  type MemoryOperation,
  type MemoryOptions,
  type MemoryStore,
} from './memory.ts';
export * from './port.ts';
export { type AcquiredLease, acquireRenewingLease, type RenewingLease, type RenewingLeaseOptions } from './renewing-lease.ts';
