import type { BoundaryClaims, FenceOrder } from '@sallyport/authority';
import type { BoundaryAuthority } from '@sallyport/gateway/replica';
import { err, ok, type Result, type RuntimeId } from '@sallyport/model';

/**
 * What gateways and boundaries sign, without the signature: signing is asynchronous for real, and not what is tried here.
 * Nobody in this world makes up what another one would have to sign.
 */

const written = (kind: string, value: object): string =>
  `${kind}.${Buffer.from(JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? `${part}n` : part))).toString('base64url')}`;

function read<T>(kind: string, text: string): Result<T, string> {
  if (!text.startsWith(`${kind}.`)) return err(`no ${kind}`);
  const json = Buffer.from(text.slice(kind.length + 1), 'base64url').toString('utf8');
  return ok(
    JSON.parse(json, (_key, part) => (typeof part === 'string' && /^\d+n$/.test(part) ? BigInt(part.slice(0, -1)) : part)) as T,
  );
}

/** What the boundary is given to verify with. */
export const verify = {
  token: async (text: string): Promise<Result<BoundaryClaims, string>> => read<BoundaryClaims>('token', text),
  fence: async (text: string): Promise<Result<FenceOrder, string>> => read<FenceOrder>('fence', text),
};

/** By whose certificate it was answered cannot be made up. */
export const fenceAnswer = (order: FenceOrder, by: RuntimeId): string => written('answer', { ...order, by });

export const boundaryAuthority: BoundaryAuthority = {
  token: async (claims) => written('token', claims),
  fence: async (order) => written('fence', order),
  async believes(answer, order) {
    const said = read<FenceOrder & { by: RuntimeId }>('answer', Buffer.from(answer).toString('latin1'));
    if (!said.ok) return said;
    const { by, sandboxId, runtimeId, epoch, nonce } = said.value;
    if (by !== order.runtimeId) return err(`the certificate names ${by}`);
    const same = sandboxId === order.sandboxId && runtimeId === order.runtimeId && epoch === order.epoch && nonce === order.nonce;
    return same ? ok(undefined) : err('the answer is to another question');
  },
};
