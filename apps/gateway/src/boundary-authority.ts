import { err } from '@sallyport/model';
import {
  followTlsMaterial,
  type SigningKeys,
  signBoundaryToken,
  signFence,
  type TlsSource,
  verifyFenceAnswer,
} from '@sallyport/wire';
import type { BoundaryAuthority } from './boundaries.ts';

/** Signs by the keys that all gateways share; believes what the installation's CA vouches for now. */
export function createBoundaryAuthority(keys: SigningKeys, tls: TlsSource, trustDomain: string): BoundaryAuthority {
  const { current } = followTlsMaterial(tls);
  return {
    token: (claims) => signBoundaryToken(keys, claims),
    fence: (order) => signFence(keys, order),
    async believes(answer, order) {
      const material = current();
      if (material === undefined) return err('no CA is loaded yet');
      return verifyFenceAnswer(answer, order, { ca: material.ca, trustDomain, now: new Date() });
    },
  };
}
