import type { CallOptions, ChannelOptions } from '@grpc/grpc-js';
import { noop } from 'cockatiel';
import { Etcd3, type IOptions } from 'etcd3';
import type { EtcdAddress } from './address.ts';
import { createCalls } from './calls.ts';
import { failureOf } from './failure.ts';
import type { EtcdCredentials } from './tls.ts';

/** One connection to one member. All its calls and streams share one TCP connection and end together. */
export interface Link {
  readonly address: EtcdAddress;
  /** Its `kv`, `leaseClient`, `watchClient` and `maintenance` only: see below. Always with {@link Link.options}. */
  readonly etcd: Etcd3;
  /** For one call: `ms` is its deadline, without one it is a stream that stays. */
  options(ms?: number): CallOptions;
  readonly closed: boolean;
  close(why: string): void;
}

/**
 * Under 5 s etcd's default `--grpc-keepalive-min-time` answers with GOAWAY `too_many_pings`. A silent connection is noticed
 * after both together.
 */
const KEEPALIVE_TIME_MS = 5_500;
const KEEPALIVE_TIMEOUT_MS = 2_000;
/** grpc waits up to 2 minutes between two tries to connect; we decide ourselves when to try. */
const RECONNECT_FIRST_MS = 100;
const RECONNECT_MAX_MS = 1_000;

let linkCount = 0;

/**
 * etcd3 gives connections, TLS, messages and stubs. What is above its stubs does not fit here: its policy repeats
 * transactions, its watcher resumes from a header and loses events, its lease reports a loss after twice the TTL, its
 * circuit breaker answers instead of etcd, and its pool forgets which member has just failed. So one client has one host, and
 * which member to use is decided in connection.ts.
 */
export function openLink(address: EtcdAddress, credentials: EtcdCredentials | undefined, serverName: string | undefined): Link {
  linkCount += 1;
  const calls = createCalls();
  const grpcOptions: ChannelOptions = {
    'grpc.keepalive_time_ms': KEEPALIVE_TIME_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
    // etcd takes pings on an idle connection for an attack as well.
    'grpc.keepalive_permit_without_calls': 0,
    'grpc.initial_reconnect_backoff_ms': RECONNECT_FIRST_MS,
    'grpc.max_reconnect_backoff_ms': RECONNECT_MAX_MS,
    // The default is 4 MiB, less than a page of large values.
    'grpc.max_receive_message_length': -1,
    // Nothing may be sent twice behind our back, nor to where the environment's proxy leads.
    'grpc.enable_retries': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_http_proxy': 0,
    'grpc.enable_channelz': 0,
    // Channels with the same options share a TCP connection: those of one link do, those of two never.
    'grpc.primary_user_agent': `sallyport-store-${linkCount}`,
    ...(serverName === undefined ? {} : { 'grpc.ssl_target_name_override': serverName, 'grpc.default_authority': serverName }),
  };
  const options: IOptions = { hosts: address, grpcOptions, faultHandling: { global: noop, host: () => asTheyCome } };
  const etcd = new Etcd3(credentials === undefined ? options : { ...options, credentials });
  let closed = false;
  return {
    address,
    etcd,
    options(ms) {
      const common: CallOptions = { interceptors: [calls.interceptor] };
      // grpc turns it into a duration at once: a wall clock that is set later changes nothing.
      return ms === undefined ? common : { ...common, deadline: Date.now() + ms };
    },
    get closed() {
      return closed;
    },
    close(why) {
      if (closed) return;
      closed = true;
      calls.cancelAll(why);
      etcd.close();
    },
  };
}

/**
 * No retry and no breaker, and more: etcd3 answers each timeout by closing all channels of the host. It knows what to answer
 * so by the error's class, hence errors leave here as ours.
 */
const asTheyCome: NonNullable<NonNullable<IOptions['faultHandling']>['global']> = {
  _altReturn: noop._altReturn,
  onSuccess: noop.onSuccess,
  onFailure: noop.onFailure,
  async execute(call, signal) {
    try {
      return await noop.execute(call, signal);
    } catch (error) {
      throw failureOf(error);
    }
  },
};
