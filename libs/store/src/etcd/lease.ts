import type { CallOptions } from '@grpc/grpc-js';
import type { Etcd3, IDuplexStream, ILeaseKeepAliveRequest, ILeaseKeepAliveResponse } from 'etcd3';
import type { LeaseOutcome, StoreLease } from '../port.ts';
import type { Caller } from './call.ts';
import { CallFailure } from './failure.ts';

/** The server chooses the id: one of ours could be granted again after it expired, and guards could not tell. */
export function createLeases(caller: Caller): (ttlMs: number) => Promise<LeaseOutcome> {
  const leaseOf = (id: string, ttlMs: number): StoreLease => ({
    id,
    ttlMs,
    async keepAlive() {
      const answer = await caller.once((etcd, options) => keepAliveOnce(etcd, options, id));
      if (answer instanceof CallFailure) return answer.kind === 'no-lease' ? 'lost' : 'unavailable';
      return BigInt(answer.TTL) > 0n ? 'kept' : 'lost';
    },
    async revoke() {
      // Without an answer it runs out by itself.
      await caller.once((etcd, options) => etcd.leaseClient.leaseRevoke({ ID: id }, options));
    },
  });

  return async (ttlMs) => {
    const TTL = Math.ceil(ttlMs / 1_000);
    const answer = await caller.once((etcd, options) => etcd.leaseClient.leaseGrant({ TTL }, options));
    if (answer instanceof CallFailure) return { kind: 'unavailable', message: answer.message };
    if (answer.error !== '') return { kind: 'unavailable', message: answer.error };
    // etcd grants more than was asked when that is less than its election timeout allows.
    return { kind: 'leased', lease: leaseOf(answer.ID, Number(answer.TTL) * 1_000) };
  };
}

/**
 * A stream of its own for each keepalive: on a common one an answer could be taken for that to a later request, and the holder
 * counts its time from when it sent the request that was answered. Costs a little per 2.5 s.
 */
async function keepAliveOnce(etcd: Etcd3, options: CallOptions, id: string): Promise<ILeaseKeepAliveResponse> {
  const stream: IDuplexStream<ILeaseKeepAliveRequest, ILeaseKeepAliveResponse> = await etcd.leaseClient.leaseKeepAlive(options);
  const { promise, resolve, reject } = Promise.withResolvers<ILeaseKeepAliveResponse>();
  stream.on('data', resolve);
  stream.on('error', reject);
  stream.on('end', () => reject(new Error('the stream ended without an answer')));
  stream.write({ ID: id });
  // Also keeps etcd3 from answering an error by closing all channels of the host: it looks whether we are still writing.
  stream.end();
  return promise;
}
