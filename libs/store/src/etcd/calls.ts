import { InterceptingCall, type Interceptor, type InterceptorOptions, status } from '@grpc/grpc-js';
import { assert } from '@sallyport/model';

/** The calls of one connection, of every kind, as an interceptor sees them. */
export interface Calls {
  readonly interceptor: Interceptor;
  /** Ends all that are under way; their callers get `cancelled`. */
  cancelAll(why: string): void;
}

/**
 * Marks each call so that a member without a leader refuses it: a partitioned member would otherwise let a watch hang in
 * silence (etcd's client/v3 WithRequireLeader). And remembers the live ones: closing a grpc channel ends no call.
 */
export function createCalls(): Calls {
  const live = new Set<InterceptingCall>();
  return {
    interceptor(options, nextCall) {
      assertWholeNumbers(options);
      const call = new InterceptingCall(nextCall(options), {
        start(metadata, _listener, next) {
          metadata.set('hasleader', 'true');
          live.add(call);
          next(metadata, {
            onReceiveStatus(outcome, pass) {
              live.delete(call);
              pass(outcome);
            },
          });
        },
      });
      return call;
    },
    cancelAll(why) {
      for (const call of [...live]) call.cancelWithStatus(status.CANCELLED, why);
    },
  };
}

/** A response whose header's cluster id is 2^53 + 1. */
const ODD_HEADER = Buffer.of(0x0a, 9, 0x08, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10);

/**
 * Where protobufjs cannot load the package `long`, it reads 64-bit numbers as doubles and rounds them without a word: lease
 * ids then name other leases. That happens in bundles and under `--conditions import`.
 */
function assertWholeNumbers({ method_definition: method }: InterceptorOptions): void {
  const { header } = method.responseDeserialize(ODD_HEADER) as { header: { cluster_id: string } };
  assert(header.cluster_id === '9007199254740993', '64-bit numbers of etcd arrive whole: protobufjs has the package long');
}
